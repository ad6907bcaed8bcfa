//! Gemini from both of Google's doors, through the program.

use omp_testkit::{Home, Reply, Scenario, Server, Wire, run};
use serde_json::json;

use crate::support::{LIMIT, omp};

/// The script of a short tool loop; the history must stay a stable prefix.
fn server() -> Server {
    Server::start(
        Scenario::replies([
            Reply::new().thinking("look").tool_call("read", json!({"_i": "peek", "path": "a.txt"})),
            Reply::new().text("alpha it is"),
        ])
        .require_stable_prefix(true),
    )
}

fn home(server: &Server, provider: &str, base: &str) -> Home {
    let home = Home::new();
    let url = server.base_url();
    home.write(
        "home/.omp/agent/models.yml",
        format!("providers:\n  {provider}:\n    baseUrl: {url}{base}\n"),
    );
    home.write("work/a.txt", "alpha\n");
    home
}

#[test]
fn gemini_with_a_key() {
    let server = server();
    let home = home(&server, "google", "");
    let mut command = omp(&home, &["-p", "--model", "google/gemini-2.5-pro", "what is in a.txt?"]);
    command.env("GEMINI_API_KEY", "gemini-key");
    let output = run(command, Some(b""), LIMIT);
    output.assert_success();
    assert_eq!(output.stdout, "alpha it is\n");
    let requests = server.requests();
    assert_eq!(requests[1].path, "/v1beta/models/gemini-2.5-pro:streamGenerateContent");
    assert_eq!(requests[1].header("x-goog-api-key"), Some("gemini-key"));
    assert!(requests[1].body["contents"][2].to_string().contains("alpha"));
    server.finish();
}

/// A credentials file and a project in the environment are all that Vertex needs.
// proves: CLI-133
#[test]
fn vertex_with_application_default_credentials() {
    let person = |server: &Server| {
        json!({
            "type": "authorized_user", "client_id": "id", "client_secret": "secret", "refresh_token": "refresh",
            "token_uri": format!("{}/google/token", server.base_url()),
        })
        .to_string()
    };
    for named in [true, false] {
        let server = server();
        let home = home(&server, "google-vertex", "");
        let mut command =
            omp(&home, &["-p", "--model", "google-vertex/gemini-3-pro-preview", "what is in a.txt?"]);
        command.env("GCP_PROJECT", "my-project").env("VERTEX_LOCATION", "europe-west4");
        if named {
            let file = home.write("keys/person.json", person(&server));
            command.env("GOOGLE_APPLICATION_CREDENTIALS", file);
        } else {
            home.write("home/.config/gcloud/application_default_credentials.json", person(&server));
        }
        let output = run(command, Some(b""), LIMIT);
        output.assert_success();
        assert_eq!(output.stdout, "alpha it is\n");
        let requests = server.requests();
        assert_eq!(
            requests[0].path,
            "/v1/projects/my-project/locations/europe-west4/publishers/google/models/gemini-3-pro-preview:streamGenerateContent"
        );
        assert_eq!(requests[0].wire, Wire::GoogleVertex);
        assert!(requests[1].header("authorization").unwrap().starts_with("Bearer ya29."));
        assert_eq!(server.other_requests().len(), 1, "one token for the whole run");
        server.finish();
    }
}

/// With a key of Google Cloud neither project nor file is needed; without anything the sentence names all ways.
// proves: CLI-133
#[test]
fn vertex_with_a_key_or_with_nothing() {
    let server = server();
    let home = home(&server, "google-vertex", "");
    let arguments = ["-p", "--model", "google-vertex/gemini-2.5-flash", "x"];
    let mut command = omp(&home, &arguments);
    command.env("GOOGLE_CLOUD_API_KEY", "cloud-key");
    run(command, Some(b""), LIMIT).assert_success();
    let sent = &server.requests()[0];
    assert_eq!(sent.path, "/v1/publishers/google/models/gemini-2.5-flash:streamGenerateContent");
    assert_eq!(sent.header("x-goog-api-key"), Some("cloud-key"));
    server.finish();

    let nobody = run(omp(&home, &arguments), Some(b""), LIMIT);
    assert_eq!(nobody.code, Some(1));
    assert!(nobody.stderr.contains("GOOGLE_CLOUD_PROJECT"), "{}", nobody.stderr);
    let mut command = omp(&home, &arguments);
    // Nothing listens there, as on any machine outside of Google Cloud.
    command.env("GOOGLE_CLOUD_PROJECT", "p").env("GCE_METADATA_HOST", "127.0.0.1:9");
    let nobody = run(command, Some(b""), LIMIT);
    assert_eq!(nobody.code, Some(1));
    assert!(nobody.stderr.contains("GOOGLE_APPLICATION_CREDENTIALS"), "{}", nobody.stderr);
}
