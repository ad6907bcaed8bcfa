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
