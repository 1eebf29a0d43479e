package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/acceptance.md} lists the tests that have an id of a reference system in their names, and only those. Each
 * id that psf has been tested for stays there.
 */
class AcceptanceDocumentTest {
    private static final Pattern ROW = Pattern.compile("\\| ([A-Z]{2})-(\\d+) \\| `(\\w+\\.\\w+)` \\|.*");
    private static final Pattern TEST = Pattern.compile("void ((?:mx|pl|ht|ms|ry|mr)\\d+_\\w+)\\(");

    /** The ids, as often as they have rows. A test of another id is added here, too. */
    private static final List<String> IDS = List.of(
            "MX-1", "MX-2", "MX-3", "MX-5", "MX-6", "MX-12", "MX-20", "MX-20", "MX-21", "PL-2", "PL-4", "HT-1", "HT-2",
            "HT-3", "HT-7", "HT-8", "HT-8", "HT-9", "MS-4", "RY-1", "RY-4", "RY-4", "RY-5", "RY-5", "MR-1");

    @Test
    void thePageAndTheTestsAgree() throws IOException {
        Set<String> listed = new TreeSet<>();
        List<String> missing = new ArrayList<>(IDS);
        for (String line : Files.readAllLines(Path.of("../../docs/acceptance.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                listed.add(row.group(3));
                missing.remove(row.group(1) + "-" + row.group(2));
                assertThat(row.group(3)).contains("." + row.group(1).toLowerCase(Locale.ROOT) + row.group(2) + "_");
            }
        }
        Set<String> found = new TreeSet<>();
        for (String module : List.of("tests/acceptance", "psf-builtin", "examples")) {
            try (Stream<Path> files = Files.walk(Page.ROOT.resolve(module).resolve("src/test/java"))) {
                files.filter(file -> file.toString().endsWith("Test.java")).forEach(file -> collect(file, found));
            }
        }
        assertThat(listed).isEqualTo(found);
        assertThat(missing)
                .as("ids without a row, or with fewer rows than before")
                .isEmpty();
    }

    private static void collect(Path file, Set<String> found) {
        try {
            String type = file.getFileName().toString().replace(".java", "");
            Matcher test = TEST.matcher(Files.readString(file));
            while (test.find()) {
                found.add(type + "." + test.group(1));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
