use super::*;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

#[test]
fn where_markdown_may_be() {
    let suffixed = |text: &str| with_suffix(&url(text)).map(String::from);
    assert_eq!(suffixed("http://a/b/c").as_deref(), Some("http://a/b/c.md"));
    assert_eq!(suffixed("http://a/b/").as_deref(), Some("http://a/b/index.md"));
    assert_eq!(suffixed("http://a").as_deref(), Some("http://a/index.md"));
    assert_eq!(suffixed("http://a/b.html?q=1").as_deref(), Some("http://a/b.html.md?q=1"));
    assert_eq!(suffixed("http://a/v1.2").as_deref(), Some("http://a/v1.2.md"));
    assert_eq!(suffixed("http://a/b.php"), None);
}

#[test]
fn whose_feed_it_is() {
    let own = |page: &str, feed: &str| is_own_feed(&url(page), &url(feed));
    assert!(own("http://a/", "http://a/feed.xml"));
    assert!(own("http://a/blog", "http://a/blog/feed"));
    assert!(own("http://a/blog/", "http://a/blog/atom.xml"));
    assert!(own("http://a/index.html", "http://a/rss"));
    assert!(own("http://a/news", "http://a/news.rss"));
    assert!(!own("http://a/post/1", "http://a/feed"));
    assert!(!own("http://a/blog", "http://a/blogroll.xml"));
    assert!(!own("http://a/", "http://b/feed"));
}

/// Nobody waits for a page that takes for ever, and none takes the program with it.
#[tokio::test]
async fn work_that_does_not_end_is_left() {
    assert_eq!(within(Duration::from_secs(60), || 7).await, Some(7));
    let endless = || {
        loop {
            std::thread::park();
        }
    };
    assert_eq!(within::<()>(Duration::from_millis(20), endless).await, None);
    assert_eq!(within::<()>(Duration::from_secs(60), || panic!("on purpose")).await, None);
}

/// Tables in tables take several levels each, and whoever walks through them goes down by recursion.
#[tokio::test]
async fn tables_in_tables_are_no_danger() {
    let tables = format!("{}deep down", "<table><tr><td>".repeat(390));
    assert!(studied(tables.clone(), url("http://a/")).await.markdown.contains("deep down"));
    let lists = format!("{}deep down", "<ul><li><p>".repeat(390));
    assert!(studied(lists, url("http://a/")).await.markdown.contains("deep down"));
    let escaped = tables.replace('<', "&lt;");
    let feed = format!(
        "<rss><channel><title>T</title><item><description>{escaped}</description></item></channel></rss>"
    );
    let (method, text) = laid_out(Family::Xml, feed.into(), url("http://a/")).await.unwrap();
    assert!(method == "feed" && text.contains("deep down"), "{method} {text}");
}
