use super::*;

fn place() -> SessionFacts<'static> {
    SessionFacts {
        cwd: Path::new("/w"),
        roots: &[],
        today: "2026-01-01",
        model: None,
        context: Vec::new(),
        subdirectories: &[],
        tree: None,
    }
}

fn ingredients<'a>(custom: Option<&'a str>, append: Option<&'a str>) -> Ingredients<'a> {
    Ingredients {
        custom,
        append,
        size: Size::for_window(200_000),
        personality: Personality::Default,
        tools: &["read", "bash"],
        knowledge: vec![Section::new("skills", "SKILLS")],
        place: place(),
    }
}

fn blocks(ingredients: Ingredients<'_>) -> Vec<String> {
    SystemPrompt::build(ingredients).blocks().to_vec()
}

#[test]
fn blocks_are_ordered_by_how_rarely_they_change() {
    let plain = blocks(ingredients(None, Some("extra")));
    assert!(plain[0].starts_with("You are omp") && plain[0].ends_with("SKILLS"));
    assert!(plain[1].contains("/w") && plain[1].contains("2026-01-01"));
    assert_eq!(plain[2], "extra");
    let custom = blocks(ingredients(Some("mine"), Some("extra")));
    assert_eq!((custom[0].as_str(), custom[1].as_str(), custom[2].as_str()), ("mine", "extra", "SKILLS"));
    assert!(custom[3].contains("/w"));
    assert_eq!(blocks(ingredients(None, Some(" \n"))).len(), 2, "nothing is appended");
}

#[test]
fn guidance_speaks_of_tools_on_offer_only() {
    let with = |tools: &'static [&'static str]| {
        let prompt = blocks(Ingredients { tools, ..ingredients(None, None) });
        prompt[0].clone()
    };
    assert!(with(&["read", "bash"]).contains("instead of `cat`"));
    assert!(!with(&["read"]).contains("instead of `cat`"));
    assert!(with(&["read"]).contains("# Tools"));
    assert!(!with(&[]).contains("# Tools"));
}

/// A file that is too long is cut at a line and says so; the others still come.
#[test]
fn context_is_bounded() {
    let long = "line of text\n".repeat(20_000);
    let (a, b) = (Path::new("/w/a\"b.md"), Path::new("/w/c.md"));
    let place = SessionFacts { context: vec![(a, &long), (b, "short\n")], ..place() };
    let footer = blocks(Ingredients { place, ..ingredients(None, None) })[1].clone();
    assert!(footer.len() < 64 * 1024 + 4096, "{}", footer.len());
    assert!(footer.contains("<file path=\"/w/a&quot;b.md\">\nline of text\n"));
    assert!(footer.contains("more bytes omitted"));
    assert!(footer.contains("line of text\n[") && footer.contains("<file path=\"/w/c.md\">\nshort\n</file>"));
    let many: Vec<(&Path, &str)> = (0..5).map(|_| (a, long.as_str())).collect();
    let place = SessionFacts { context: many, ..self::place() };
    let footer = blocks(Ingredients { place, ..ingredients(None, None) })[1].clone();
    assert!(footer.len() < 128 * 1024 + 4096, "{}", footer.len());
}

#[test]
fn sizes_add_up() {
    let prompt = SystemPrompt::build(ingredients(None, Some("extra")));
    let tool = omp_types::ToolDefinition {
        name: "read".into(),
        description: "x".repeat(100),
        parameters: serde_json::json!({}),
        strict: None,
        free_text: false,
    };
    let report = PromptReport::new(&prompt, &[tool]);
    assert_eq!(report.tools[0].bytes, 4 + 100 + 2);
    let blocks: usize = report.blocks.iter().map(String::len).sum();
    assert_eq!(report.bytes, blocks + 106);
    let parts = report.sections.iter().map(|size| size.tokens).sum::<usize>() + report.tools[0].tokens;
    assert!(report.tokens >= parts - 20 && report.tokens <= parts + 20, "{} of {parts}", report.tokens);
    let names: Vec<(usize, &str)> = report.sections.iter().map(|size| (size.block, size.name)).collect();
    let expected = [
        (0, "instructions"),
        (0, "personality"),
        (0, "tool guidance"),
        (0, "skills"),
        (1, "workstation"),
        (1, "place"),
        (2, "append"),
    ];
    assert_eq!(names, expected);
}

/// A small window gets the short text, the same knowledge, and of context files what leaves room for work.
#[test]
fn small_windows_get_a_short_prompt() {
    let long = "line of text\n".repeat(2_000);
    let make = |tokens| {
        let place = SessionFacts {
            context: vec![(Path::new("/w/a.md"), &long), (Path::new("/w/b.md"), "own\n")],
            ..place()
        };
        blocks(Ingredients { size: Size::for_window(tokens), place, ..ingredients(None, Some("extra")) })
    };
    let (small, large) = (make(8_192), make(16_384));
    assert!(small[0].starts_with("You are omp") && small[0].ends_with("SKILLS") && small[2] == "extra");
    assert!(small[0].len() * 3 < large[0].len() * 2, "{} {}", small[0].len(), large[0].len());
    assert!(small[1].len() < 8_192 + 1024, "{}", small[1].len());
    assert!(small[1].contains("more bytes omitted") && small[1].contains(">\nown\n</file>"));
    assert!(large[1].contains(long.trim_end()));
    let tone = |personality| {
        let size = Size::for_window(8_192);
        blocks(Ingredients { size, personality, ..ingredients(None, None) })[0].contains("# Tone")
    };
    assert!(tone(Personality::Friendly) && !tone(Personality::Default));
}
