package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks the README and the user's guide: their included sources are exact copies. Their links, and those of the pages
 * on architecture, operation and extensions, lead to files and headings that exist. A source that is included {@code
 * as} a package is whole, in that package. {@code -Dreadme.update=true} writes the sources in.
 */
final class ReadmeTest {
    private static final Path ROOT = Path.of("../..");
    private static final Path README = ROOT.resolve("README.md");
    private static final Pattern INCLUDED =
            Pattern.compile("<!-- include (\\S+)(?: as (\\w+))? -->\\n```(java|c)\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]*)(?:#([^)]*))?\\)");
    private static final Pattern FENCED = Pattern.compile("^```.*?^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);

    @Test
    void showsSourcesAsTheyAre() throws IOException {
        assertThat(included(README)).hasSizeGreaterThanOrEqualTo(2);
        List<String> inGuide = new ArrayList<>();
        for (Path page : guide()) {
            inGuide.addAll(included(page));
        }
        assertThat(inGuide).isNotEmpty();
    }

    /** Checks the sources that a page includes, and returns their names. */
    private static List<String> included(Path page) throws IOException {
        String text = Files.readString(page);
        Matcher matcher = INCLUDED.matcher(text);
        StringBuilder updated = new StringBuilder();
        List<String> included = new ArrayList<>();
        while (matcher.find()) {
            included.add(matcher.group(1));
            String source = Files.readString(ROOT.resolve(matcher.group(1)));
            String inPackage = matcher.group(2);
            String shown = inPackage == null ? withoutHead(source) : inPackage(inPackage, source);
            matcher.appendReplacement(
                    updated,
                    Matcher.quoteReplacement("<!-- include " + matcher.group(1)
                            + (inPackage == null ? "" : " as " + inPackage) + " -->\n```" + matcher.group(3) + "\n"
                            + shown
                            + "```"));
        }
        matcher.appendTail(updated);
        if (Boolean.getBoolean("readme.update")) {
            Files.writeString(page, updated);
        }
        assertThat(Files.readString(page)).as("%s", page).isEqualTo(updated.toString());
        return included;
    }

    /** The pages of the user's guide, and the page on GPUs. */
    private static List<Path> guide() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("docs/guide.md"), ROOT.resolve("docs/gpu.md")));
        try (Stream<Path> chapters = Files.list(ROOT.resolve("docs/guide"))) {
            chapters.sorted().forEach(pages::add);
        }
        return pages;
    }

    /** Returns the whole source, as a file of another package. */
    private static String inPackage(String name, String source) {
        return source.replaceFirst("package .*;", "package " + name + ";");
    }

    /** Returns the source after package and imports. */
    private static String withoutHead(String source) {
        int end = 0;
        Matcher head =
                Pattern.compile("^(package|import) .*;\\n+", Pattern.MULTILINE).matcher(source);
        while (head.find()) {
            end = head.end();
        }
        return source.substring(end);
    }

    @Test
    void linksLeadSomewhere() throws IOException {
        List<Path> pages = new ArrayList<>(guide());
        pages.addAll(Page.ofExtensions());
        for (String name : List.of("README.md", "docs/architecture.md", "docs/operate.md", "docs/compared.md")) {
            pages.add(ROOT.resolve(name));
        }
        for (Path page : pages) {
            checkLinks(page);
        }
    }

    private static void checkLinks(Path page) throws IOException {
        Matcher matcher = LINK.matcher(withoutCode(page));
        int links = 0;
        while (matcher.find()) {
            links++;
            String link = matcher.group() + " in " + page;
            String file = matcher.group(1);
            String heading = matcher.group(2);
            Path target = file.isEmpty() ? page : page.resolveSibling(file);
            assertThat(target).as(link).exists();
            if (heading != null) {
                assertThat(anchors(target)).as(link).contains(heading);
            }
        }
        assertThat(links).as("links in %s", page).isPositive();
    }

    /** Returns the anchors that GitHub gives to a page's headings. */
    private static List<String> anchors(Path page) throws IOException {
        List<String> anchors = new ArrayList<>();
        Matcher matcher = HEADING.matcher(withoutCode(page));
        while (matcher.find()) {
            String heading = matcher.group(1).toLowerCase(Locale.ROOT);
            anchors.add(heading.replaceAll("[^a-z0-9 _-]", "").replace(' ', '-'));
        }
        return anchors;
    }

    private static String withoutCode(Path page) throws IOException {
        return FENCED.matcher(Files.readString(page)).replaceAll("");
    }
}
