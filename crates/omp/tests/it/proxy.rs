//! Proxies from the environment.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

use omp_testkit::{Home, ModelOptions, Reply, Scenario, Server, Wire, run};

use crate::support::{LIMIT, omp};

/// A proxy for one request: reports the request line and passes plain requests on to `server`.
fn proxy(server: Option<u16>) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (report, reports) = mpsc::channel();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Some(head) = read_head(&client) else { continue };
            let line = head.lines().next().unwrap_or_default().to_owned();
            let plain = line.starts_with("POST ");
            let _ = report.send(line);
            if let (true, Some(port)) = (plain, server) {
                std::thread::spawn(move || forward(&head, client, port));
            }
        }
    });
    (address, reports)
}

fn read_head(mut client: &TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if client.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}

fn forward(head: &str, client: TcpStream, port: u16) {
    let mut upstream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let direct = head.replacen("http://model.invalid", "", 1).replacen("http://api.anthropic.com", "", 1);
    upstream.write_all(direct.as_bytes()).unwrap();
    let (mut from_client, mut to_server) = (client.try_clone().unwrap(), upstream.try_clone().unwrap());
    std::thread::spawn(move || std::io::copy(&mut from_client, &mut to_server));
    let mut client = client;
    let _ = std::io::copy(&mut upstream, &mut client);
}

/// Plain requests go through `HTTP_PROXY`, TLS through `HTTPS_PROXY`, and `NO_PROXY` names who is spared.
// proves: CLI-135
#[test]
fn proxies_of_the_environment_are_used() {
    let server = Server::start([Reply::new().text("through the proxy"), Reply::new().text("directly")]);
    let home = Home::new();
    let (address, lines) = proxy(Some(server.port()));
    let ask = |base: &str, variable: &str, spared: &str| {
        home.write("home/.omp/agent/models.yml", ModelOptions::new().yaml(base, Wire::OpenAiCompletions));
        let mut command = omp(&home, &["-p", "--no-session", "--max-time", "3s", "x"]);
        command.env(variable, &address).env("NO_PROXY", spared);
        run(command, Some(b""), LIMIT)
    };
    assert_eq!(ask("http://model.invalid/v1", "HTTP_PROXY", "").stdout, "through the proxy\n");
    assert_eq!(lines.recv().unwrap(), "POST http://model.invalid/v1/chat/completions HTTP/1.1");
    assert_eq!(ask(&format!("{}/v1", server.base_url()), "HTTP_PROXY", "127.0.0.1").stdout, "directly\n");
    assert!(lines.try_recv().is_err(), "a spared host must not be asked for through the proxy");
    let refused = ask("https://model.invalid/v1", "HTTPS_PROXY", "");
    assert_eq!(refused.code, Some(1));
    assert!(lines.recv().unwrap().starts_with("CONNECT model.invalid:443 "));
    server.finish();
}

/// Anthropic's own host is asked to think between calls, unless the variable turns it off.
// proves: CLI-138
#[test]
fn interleaved_thinking_follows_the_variable() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
    let home = Home::new();
    let (address, _lines) = proxy(Some(server.port()));
    let options = ModelOptions::new().reasoning(true).max_tokens(64_000);
    let yaml = options.yaml("http://api.anthropic.com", Wire::AnthropicMessages);
    home.write("home/.omp/agent/models.yml", yaml);
    let beta = |value: Option<&str>| {
        let mut command = omp(&home, &["-p", "--no-session", "--thinking", "high", "x"]);
        command.env("HTTP_PROXY", &address);
        command.envs(value.map(|value| ("PI_NO_INTERLEAVED_THINKING", value)));
        run(command, Some(b""), LIMIT).assert_success();
        let asked = server.requests().last().unwrap().clone();
        assert!(asked.body["thinking"].is_object(), "{}", asked.body);
        asked.header("anthropic-beta").is_some_and(|betas| betas.contains("interleaved-thinking"))
    };
    assert!(beta(None) && beta(Some("0")));
    assert!(!beta(Some("1")));
}
