"""A terminal as a picture that moves, for tools/screens: screens with their times become one SVG.

Each row that is ever seen is drawn once. Every screen is a column of references to rows, the screens stand side by side, and an
animation shows one after the other. It needs neither scripts nor anything from elsewhere, so it plays where pictures do.
"""
import importlib.machinery, importlib.util, pathlib, threading, time

HERE = pathlib.Path(__file__).resolve().parent
PAUSE = 2.5  # seconds that nothing changes are cut to this
END = 4.0  # and so long the last screen stands


def screenshot():
    loader = importlib.machinery.SourceFileLoader("screenshot", str(HERE / "screenshot"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("screenshot", loader))
    loader.exec_module(module)
    return module


class Recorder:
    """Looks at the screen of a stage until it is stopped."""

    def __init__(self, stage, every=0.07):
        self.stage, self.every, self.screens, self.stopped = stage, every, [], threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self):
        while not self.stopped.wait(self.every):
            seen = self.stage.screen(colors=True)
            if not self.screens or self.screens[-1][1] != seen:
                self.screens.append((time.monotonic(), seen))

    def stop(self):
        self.stopped.set()
        self.thread.join()
        return self.screens


def animation(screens, options):
    """The SVG of screens with their times."""
    tool = screenshot()
    size = options.size
    step, width = size * 1.25, round(options.columns * size * 0.6 + 2 * size)
    known, drawn, frames = {}, [], []
    for at, screen in screens:
        pen, places = tool.Pen(), []
        for number, row in enumerate(screen.rstrip("\n").split("\n")):
            found = tuple(tool.cells(row, pen))
            if any(character != " " or back for _, character, _, _, back, _ in found):
                if found not in known:
                    known[found] = len(known)
                    drawn.append(f'<g id="r{known[found]}">' + "".join(tool.shapes([found], options, 0)) + "</g>")
                places.append((number, known[found]))
        frames.append((at, places))
    lengths = [min(after[0] - before[0], PAUSE) for before, after in zip(frames, frames[1:])] + [END]
    total, at, keys = sum(lengths), 0.0, []
    for number, length in enumerate(lengths):
        keys.append(f"{at / total * 100:.3f}%{{transform:translateX({-number * width}px)}}")
        at += length
    style = f"@keyframes p{{{''.join(keys)}}}#s{{animation:p {total:.2f}s step-end infinite}}"
    shown = [f'<g transform="translate({number * width + size} {size})">'
             + "".join(f'<use href="#r{row}" y="{place * step:g}"/>' for place, row in places) + "</g>"
             for number, (_, places) in enumerate(frames)]
    return "\n".join([*tool.frame(options.rows, options), f"<style>{style}</style>", "<defs>", *drawn, "</defs>", '<g id="s">',
                      *shown, "</g></svg>"]) + "\n"
