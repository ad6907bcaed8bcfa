//! One row of the table of providers, and everything that follows from it.

use omp_testkit::{Home, run};

use crate::support::{LIMIT, omp, omp_run};

/// A row of `docs/providers.md`, which another test keeps equal to the table itself.
struct Row {
    id: String,
    variables: Vec<String>,
    default_model: Option<String>,
}

fn rows() -> Vec<Row> {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/providers.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(" | ").collect();
        Row {
            id: quoted(cells[0]).remove(0),
            variables: quoted(cells[2]),
            default_model: quoted(cells[7]).pop(),
        }
    };
    page.lines().filter(|line| line.starts_with("| `")).map(row).collect()
}

/// Ids, defaults, key variables, logins and their renewal: nobody keeps a second list.
// proves: MOD-206
#[test]
fn everything_follows_from_the_rows() {
    let rows = rows();
    assert!(rows.len() > 45, "{}", rows.len());
    let home = Home::new();

    let logins = omp_run(&home, &["login"]).stderr;
    let offered = |id: &str| {
        let names = |line: &&str| {
            line.split_whitespace().nth(1) == Some(id) || line.contains(&format!(" {id} (API key)"))
        };
        logins.lines().filter(names).count()
    };
    let listed = omp_run(&home, &["models", "--json"]).stdout;
    for row in &rows {
        assert_eq!(offered(&row.id), 1, "{} in {logins}", row.id);
        let Some(model) = &row.default_model else { continue };
        assert!(listed.contains(&format!("\"{}/{model}\"", row.id)), "{}/{model} is listed", row.id);

        // The key of the environment is what a request would get; nothing has to be renewed in it.
        let variable = row.variables.first().expect("it takes a key");
        let mut command = omp(&home, &["token", &row.id, "--force-refresh"]);
        command.env(variable, "key-of-the-row");
        command.envs([("AZURE_OPENAI_RESOURCE_NAME", "x"), ("CLOUDFLARE_ACCOUNT_ID", "x")]);
        let token = run(command, Some(b""), LIMIT);
        assert_eq!(token.stdout.trim(), "key-of-the-row", "{}: {}", row.id, token.stderr);
    }
}
