package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.acceptance.Page.Block;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compiles the Java of the README and of the user's guide as it stands, runs it, and compares the shown lines. */
@Timeout(120)
final class GuideSnippetsTest {
    @TempDir
    private Path folder;

    private Snippets snippets;

    @BeforeEach
    void theSnippetsOfAllPages() throws IOException {
        snippets = new Snippets(folder.resolve("classes"));
        for (Path page : Page.ofUsers()) {
            assertThat(snippets.add(page)).as("snippets of %s", page).isPositive();
        }
    }

    @Test
    void everySnippetCompilesAsItStandsAndPrintsTheShownLines() throws Exception {
        assertThat(snippets.compile()).isEmpty();

        Map<String, String> printed = run();

        assertThat(printed.keySet())
                .containsExactlyElementsOf(
                        snippets.runs().stream().map(Block::toString).toList());
        for (Map.Entry<String, String> shown : shown().entrySet()) {
            assertThat(printed.get(shown.getKey()))
                    .as("lines of %s", shown.getKey())
                    .isEqualTo(shown.getValue());
        }
    }

    /** Runs the snippets in a JVM without flags and without the tests' functions; returns the lines by place. */
    private Map<String, String> run() throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        String classPath = folder.resolve("classes") + File.pathSeparator + Snippets.classPath();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath,
                        Snippets.MAIN)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();
        try {
            assertThat(process.waitFor(100, TimeUnit.SECONDS))
                    .as(Files.readString(out))
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(out)).isZero();
        Map<String, String> printed = new LinkedHashMap<>();
        String place = "";
        for (String line : Files.readAllLines(out)) {
            if (line.startsWith("=== ")) {
                place = line.substring(4);
                printed.put(place, "");
            } else {
                printed.merge(place, line + "\n", String::concat);
            }
        }
        return printed;
    }

    /** Returns the lines that the documents show directly after a snippet, by its place. */
    private static Map<String, String> shown() throws IOException {
        Map<String, String> shown = new LinkedHashMap<>();
        for (Path page : Page.ofUsers()) {
            List<Block> blocks = Page.blocks(page);
            for (int i = 1; i < blocks.size(); i++) {
                Block lines = blocks.get(i);
                if (lines.language().equals("text")
                        && blocks.get(i - 1).language().equals("java")
                        && lines.comment("example").isEmpty()
                        && lines.comment("file").isEmpty()) {
                    shown.put(blocks.get(i - 1).toString(), lines.text());
                }
            }
        }
        assertThat(shown).isNotEmpty();
        return shown;
    }

    /** A page whose snippet is wrong, in a line that the error names. */
    @Test
    void anErrorNamesTheLineOfThePage() throws IOException {
        Path page = Files.writeString(folder.resolve("wrong.md"), """
                # A page

                ```java
                import io.psf.builtin.*;
                ```

                ```java
                TensorSpec.dense("w", 3);

                TensorSpec.dense("w", unknown);
                ```
                """);
        Snippets wrong = new Snippets(folder.resolve("wrong"));
        wrong.add(page);
        List<String> errors = new ArrayList<>(wrong.compile());
        assertThat(errors).hasSize(1);
        assertThat(errors.get(0)).contains("wrong.md:10: cannot find symbol");
    }
}
