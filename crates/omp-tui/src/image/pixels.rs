//! Pixels, and how many cells they need.

/// A picture as red, green, blue and opacity, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pixels {
    /// Columns of pixels.
    pub width: usize,
    /// Rows of pixels.
    pub height: usize,
    data: Vec<u8>,
}

impl Pixels {
    /// Pixels from their bytes, four each; `None` if there are not as many as the size says.
    pub fn new(width: usize, height: usize, data: Vec<u8>) -> Option<Self> {
        (width > 0 && height > 0 && data.len() == width * height * 4).then_some(Self { width, height, data })
    }

    /// The size of a picture whose pixels nobody asks for.
    pub fn sized(width: usize, height: usize) -> Self {
        Self { width: width.max(1), height: height.max(1), data: Vec::new() }
    }

    /// The colour of a pixel on black, and whether it is to be seen at all.
    pub fn at(&self, column: usize, row: usize) -> Option<[u8; 3]> {
        let start = (row * self.width + column) * 4;
        let pixel = self.data.get(start..start + 4)?;
        let shade = |channel: u8| (u16::from(channel) * u16::from(pixel[3]) / 255) as u8;
        (pixel[3] >= 16).then(|| [shade(pixel[0]), shade(pixel[1]), shade(pixel[2])])
    }

    /// The cells, columns and rows, that the picture takes in cells of `cell` (height, width) pixels: as large as it is,
    /// but no larger than there is room.
    pub fn cells(&self, cell: (usize, usize), columns: usize, rows: usize) -> (usize, usize) {
        let (cell_height, cell_width) = (cell.0.max(1), cell.1.max(1));
        let room = (columns.max(1) * cell_width, rows.max(1) * cell_height);
        let (mut width, mut height) = (self.width, self.height);
        if width > room.0 {
            height = (height * room.0 / width).max(1);
            width = room.0;
        }
        if height > room.1 {
            width = (width * room.1 / height).max(1);
            height = room.1;
        }
        (
            width.div_ceil(cell_width).clamp(1, columns.max(1)),
            height.div_ceil(cell_height).clamp(1, rows.max(1)),
        )
    }

    /// The picture in another size; every pixel is the mean of those it stands for.
    #[must_use]
    pub fn resized(&self, width: usize, height: usize) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        let mut data = Vec::with_capacity(width * height * 4);
        for row in 0..height {
            let rows = range(row, height, self.height);
            for column in 0..width {
                data.extend(self.mean(range(column, width, self.width), rows.clone()));
            }
        }
        Self { width, height, data }
    }

    fn mean(&self, columns: std::ops::Range<usize>, rows: std::ops::Range<usize>) -> [u8; 4] {
        let mut sums = [0u64; 4];
        let count = (columns.len() * rows.len()).max(1) as u64;
        for row in rows {
            for column in columns.clone() {
                let start = (row * self.width + column) * 4;
                let pixel = self.data.get(start..start + 4).unwrap_or(&[0; 4]);
                sums.iter_mut().zip(pixel).for_each(|(sum, channel)| *sum += u64::from(*channel));
            }
        }
        sums.map(|sum| u8::try_from(sum / count).unwrap_or(u8::MAX))
    }
}

/// The pixels of the old size that pixel `index` of the new one stands for.
fn range(index: usize, new: usize, old: usize) -> std::ops::Range<usize> {
    let start = index * old / new;
    start..((index + 1) * old / new).max(start + 1).min(old.max(1))
}
