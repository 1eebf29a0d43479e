package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.acceptance.Page.Block;
import io.psf.runtime.Settings;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compiles the Java of the README and of the user's guide as it stands, runs it, and compares the shown lines. */
@Timeout(120)
final class GuideSnippetsTest {
    private static final Pattern VERSION = Pattern.compile(
            "<artifactId>([^<]*)</artifactId>(?:\\s|<!--.*?-->)*<version>([^<]*)</version>", Pattern.DOTALL);

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
        requireShownLines(snippets, Page.ofUsers(), folder.resolve("classes"));
    }

    /** Runs the snippets of pages, and compares the lines that they print with the shown ones. */
    private void requireShownLines(Snippets compiled, List<Path> pages, Path classes) throws Exception {
        Map<String, String> printed = run(classes);
        assertThat(printed.keySet())
                .containsExactlyElementsOf(
                        compiled.runs().stream().map(Block::toString).toList());
        for (Map.Entry<String, String> shown : shown(pages).entrySet()) {
            assertThat(printed.get(shown.getKey()))
                    .as("lines of %s", shown.getKey())
                    .isEqualTo(shown.getValue());
        }
    }

    /** Runs the snippets in a JVM without the tests' functions; returns the lines by place. */
    private Map<String, String> run(Path classes) throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        classes + File.pathSeparator + Snippets.classPath(),
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
    private static Map<String, String> shown(List<Path> pages) throws IOException {
        Map<String, String> shown = new LinkedHashMap<>();
        for (Path page : pages) {
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

    /** Returns the versions of a pom by artifact, with the values of its properties. */
    private static Map<String, String> versions(String pom) {
        Map<String, String> versions = new LinkedHashMap<>();
        Matcher matcher = VERSION.matcher(pom);
        while (matcher.find()) {
            String version = matcher.group(2);
            if (version.startsWith("${")) {
                String property = Pattern.quote(version.substring(2, version.length() - 1));
                Matcher value = Pattern.compile("<" + property + ">(.*?)</" + property + ">")
                        .matcher(pom);
                version = value.find() ? value.group(1) : version;
            }
            versions.put(matcher.group(1), version);
        }
        return versions;
    }

    /**
     * They are compiled with the command line, too. Classes that no snippet uses are run by the tests that they name.
     */
    @Test
    void theExamplesOfThePagesOnExtendingPsfCompileAndPrintTheShownLines() throws Exception {
        Snippets examples = new Snippets(folder.resolve("extensions"), System.getProperty("java.class.path"));
        List<String> without = new ArrayList<>();
        for (Path page : Page.ofExtensions()) {
            if (examples.add(page) == 0) {
                without.add(page.getFileName().toString());
            }
        }
        assertThat(without).as("pages without an example").containsExactly("README.md");
        assertThat(examples.compile()).isEmpty();
        requireShownLines(examples, Page.ofExtensions(), folder.resolve("extensions"));
    }

    @Test
    void theBuildsOfTheGuideHaveTheVersionsOfThisBuild() throws IOException {
        String pom = Page.blocks(Page.ROOT.resolve("docs/guide.md")).stream()
                .filter(block -> block.language().equals("xml"))
                .map(Block::text)
                .collect(Collectors.joining());
        Map<String, String> ofBuild = versions(Files.readString(Page.ROOT.resolve("pom.xml")));
        String psf = ofBuild.get("psf-parent");
        Map<String, String> shown = versions(pom);
        assertThat(shown)
                .containsEntry("axpy", "0.1.0-SNAPSHOT")
                .containsEntry("psf-builtin", psf)
                .containsEntry("psf-processor", psf)
                .containsEntry("logback-classic", ofBuild.get("logback-classic"))
                .containsEntry("maven-compiler-plugin", ofBuild.get("maven-compiler-plugin"))
                .containsEntry("maven-dependency-plugin", ofBuild.get("maven-dependency-plugin"));
        assertThat(pom.split("<artifactId>", -1)).as("artifacts with a version").hasSize(shown.size() + 1);
        String gradle = Page.blocks(Page.ROOT.resolve("docs/guide.md")).stream()
                .filter(block -> block.language().equals("kotlin"))
                .map(Block::text)
                .collect(Collectors.joining());
        for (String artifact : List.of("psf-builtin", "psf-processor", "logback-classic")) {
            assertThat(gradle).contains(":" + artifact + ":" + shown.get(artifact) + "\"");
        }
    }

    @Test
    void theSettingsOfTheGuideAreThoseOfACluster() throws IOException {
        int files = 0;
        for (Block block : Page.blocks(Page.ROOT.resolve("docs/guide/clusters.md"))) {
            if (block.language().equals("yaml")) {
                files++;
                Path file = Files.writeString(folder.resolve("cluster.yaml"), block.text());
                Settings settings = Settings.fromYaml(file).with(Map.of("PSF_ROLE", "scheduler"));
                assertThat(settings.scheduler().servers()).isEqualTo(2);
                assertThat(settings.scheduler().workers()).isEqualTo(4);
            }
        }
        assertThat(files).isEqualTo(1);
    }

    /** A block of another language would be run by no test. */
    @Test
    void everyBlockIsOfAKindThatIsTested() throws IOException {
        for (Path page : Page.ofUsers()) {
            assertThat(Page.blocks(page))
                    .allSatisfy(block -> assertThat(block.language())
                            .as("%s", block)
                            .isIn("java", "text", "commands", "jshell", "xml", "yaml", "kotlin", ""))
                    .filteredOn(block -> block.language().isEmpty())
                    .as("blocks without a language: a drawing, and tables of psf status")
                    .allMatch(block -> block.text().matches("(?s).*(┌|NODE +RANK).*"));
        }
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
