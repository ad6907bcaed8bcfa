use super::*;

/// A scheme with a hundred names.
struct Numbers(&'static str);

impl Scheme for Numbers {
    fn name(&self) -> &'static str {
        self.0
    }

    fn open<'a>(
        &'a self,
        url: &'a InternalUrl,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        future::ready(url.decoded().map(|name| Resource::text(name, self.0))).boxed()
    }

    fn complete(&self, typed: &str) -> Vec<Completion> {
        let names = (0..100).map(|number| number.to_string()).filter(|name| name.starts_with(typed));
        names
            .map(|name| Completion { url: format!("{}://{name}", self.0), description: String::new() })
            .collect()
    }
}

fn router() -> Resources {
    Resources::new(vec![Arc::new(Numbers("rule")), Arc::new(Numbers("skill")), Arc::new(Numbers("skill"))])
}

fn urls(typed: &str) -> Vec<String> {
    router().complete(typed).into_iter().map(|found| found.url).collect()
}

#[test]
fn a_url_has_parts() {
    let url = InternalUrl::parse("SKILL://a%3Ab/c?q=x+y%26z&w#f").unwrap();
    assert_eq!(
        (url.scheme(), url.target(), url.text()),
        ("skill", "a%3Ab/c", "SKILL://a%3Ab/c?q=x+y%26z&w#f")
    );
    assert_eq!(url.decoded().unwrap(), "a:b/c");
    assert_eq!(url.query("q"), Some(Ok("x y&z".to_owned())));
    assert_eq!((url.query("w"), url.query("f")), (Some(Ok(String::new())), None));
    for wrong in ["rule://%", "rule://%4", "rule://%zz", "rule://%ff"] {
        assert!(InternalUrl::parse(wrong).unwrap().decoded().is_err(), "{wrong}");
    }
    let (one, two) = (InternalUrl::parse("local:/a/b").unwrap(), InternalUrl::parse("local://a/b").unwrap());
    assert_eq!((one.scheme(), one.rest()), (two.scheme(), two.rest()));
}

#[test]
fn paths_and_addresses_of_others_are_no_urls() {
    for other in [
        "http://x/y",
        "HTTPS://x",
        "file:///x",
        "a/b",
        "a:b",
        "skill:/x",
        "://x",
        "1a://x",
        "a b://x",
        "x.zip:a",
    ] {
        assert_eq!(InternalUrl::parse(other), None, "{other}");
    }
}

#[test]
fn completions_are_few() {
    assert_eq!(urls("S"), ["skill://"]);
    assert_eq!(urls("skill://").len(), 25);
    assert_eq!(urls("Skill://99"), ["skill://99"]);
    assert_eq!(urls("vault://"), Vec::<String>::new());
}

#[tokio::test]
async fn one_scheme_answers() {
    let open = async |typed: &str| {
        let url = InternalUrl::parse(typed).unwrap();
        router().open(&url, &CancellationToken::new()).await.map(|resource| resource.content)
    };
    assert_eq!(open("RULE://a%20b").await, Ok(Content::Text("a b".to_owned())));
    assert!(open("vault://x").await.unwrap_err().starts_with("vault:// resources are not available yet"));
    let unknown = open("nope://x").await.unwrap_err();
    assert!(unknown.starts_with("Unknown protocol: nope://. Supported: agent://, artifact://,"), "{unknown}");
    let url = InternalUrl::parse("rule://a").unwrap();
    assert!(
        router().write(&url, "x", &CancellationToken::new()).await.unwrap_err().contains("are read-only")
    );
    assert!(router().locate(&url).unwrap_err().contains("is not backed by a file"));
}
