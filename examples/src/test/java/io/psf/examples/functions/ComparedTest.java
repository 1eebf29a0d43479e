package io.psf.examples.functions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/compared.md} counts what is there; {@code -Dcompared.update=true} counts anew. */
class ComparedTest {
    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve("docs/compared.md");
    private static final String SOURCES = "examples/src/main/java/io/psf/examples/functions/";
    private static final int MOST = 15;

    /** Angel's lines and files. */
    private static final Map<String, String> ANGEL = Map.of(
            "Sum", "102 | 5", "IncrementRows", "151 | 3", "SampleNeighbor", "174 | 5", "AsyncAdagrad", "119 | 4");

    private static final List<String> FUNCTIONS = List.of(
            "Sum",
            "IncrementRows",
            "SampleNeighbor",
            "AsyncAdagrad",
            "LoadNeighbors",
            "TopRows",
            "Histogram",
            "RowNorms",
            "AddAndFetch");

    /** The function's lines of code: up to the signature of handle and the last brace, and all others. */
    private record Count(int declaration, int handler, int file) {
        static Count of(String function) throws IOException {
            List<String> file = Files.readAllLines(ROOT.resolve(SOURCES + function + ".java"));
            List<String> code = file.stream()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .filter(line -> !line.startsWith("package ") && !line.startsWith("import "))
                    .filter(line -> !line.startsWith("//") && !line.startsWith("/*") && !line.startsWith("*"))
                    .toList();
            int signature = 0;
            while (!code.get(signature).contains(" handle(")) {
                signature++;
            }
            while (!code.get(signature).endsWith("{")) {
                signature++;
            }
            int declaration = signature + 2; // lines count from 0; and the interface's last brace
            return new Count(declaration, code.size() - declaration, file.size());
        }
    }

    private static String row(String function) throws IOException {
        Count ours = Count.of(function);
        return "| [" + function + "](../" + SOURCES + function + ".java) | " + ours.declaration() + " | "
                + ours.handler() + " | " + ours.file() + " | " + ANGEL.getOrDefault(function, "- | -") + " |\n";
    }

    @Test
    void everyDeclarationHasAtMostFifteenLines() throws IOException {
        for (String function : FUNCTIONS) {
            assertThat(Count.of(function).declaration()).as(function).isBetween(5, MOST);
        }
    }

    @Test
    void thePageCountsWhatIsThere() throws IOException {
        StringBuilder rows = new StringBuilder();
        for (String function : FUNCTIONS) {
            rows.append(row(function));
        }
        String page = Files.readString(PAGE);
        Matcher table = Pattern.compile("<!-- counted -->\n(.*?)<!-- end -->", Pattern.DOTALL)
                .matcher(page);
        assertThat(table.find()).as("a counted table").isTrue();
        String head = table.group(1).lines().limit(2).reduce("", (above, line) -> above + line + "\n");
        String counted = page.substring(0, table.start(1)) + head + rows + page.substring(table.end(1));
        if (Boolean.getBoolean("compared.update")) {
            Files.writeString(PAGE, counted);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(counted);
    }

    @Test
    void thePagesLinksLeadSomewhere() throws IOException {
        Matcher link = Pattern.compile("\\]\\(([^)#:]+)\\)").matcher(Files.readString(PAGE));
        int links = 0;
        for (; link.find(); links++) {
            assertThat(PAGE.resolveSibling(link.group(1))).exists();
        }
        assertThat(links).isGreaterThan(FUNCTIONS.size());
    }
}
