package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The README shows sources as they are; {@code -Dreadme.update=true} writes them in. */
final class ReadmeTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern INCLUDED =
            Pattern.compile("<!-- include (\\S+) -->\\n```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)\\)");

    @Test
    void showsSourcesAsTheyAre() throws IOException {
        Path readme = ROOT.resolve("README.md");
        String text = Files.readString(readme);
        Matcher matcher = INCLUDED.matcher(text);
        StringBuilder updated = new StringBuilder();
        List<String> included = new ArrayList<>();
        while (matcher.find()) {
            included.add(matcher.group(1));
            String source = withoutHead(Files.readString(ROOT.resolve(matcher.group(1))));
            matcher.appendReplacement(
                    updated,
                    Matcher.quoteReplacement("<!-- include " + matcher.group(1) + " -->\n```java\n" + source + "```"));
        }
        matcher.appendTail(updated);
        assertThat(included).hasSizeGreaterThanOrEqualTo(2);
        if (Boolean.getBoolean("readme.update")) {
            Files.writeString(readme, updated);
        }
        assertThat(Files.readString(readme)).isEqualTo(updated.toString());
    }

    /** What follows package and imports. */
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
        Matcher matcher = LINK.matcher(Files.readString(ROOT.resolve("README.md")));
        List<String> links = new ArrayList<>();
        while (matcher.find()) {
            links.add(matcher.group(1));
        }
        assertThat(links)
                .isNotEmpty()
                .allSatisfy(link -> assertThat(ROOT.resolve(link)).exists());
    }
}
