package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares {@code psf-bom} with the modules of the build. */
class BomTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern MODULE = Pattern.compile("<module>(.+)</module>");
    private static final Pattern MANAGED = Pattern.compile("<artifactId>(.+)</artifactId>\\s*<version>\\$");
    private static final Pattern VERSION = Pattern.compile("<version>([^<$]+)</version>");

    @Test
    void theBomHasEachJarOfARelease() throws Exception {
        Set<String> published = new TreeSet<>();
        for (String module : all(MODULE, Files.readString(ROOT.resolve("pom.xml")))) {
            String pom = Files.readString(ROOT.resolve(module).resolve("pom.xml"));
            if (!pom.contains("<psf.unpublished>true") && !pom.contains("<packaging>pom")) {
                published.add(Path.of(module).getFileName().toString());
            }
        }
        assertThat(managed()).containsExactlyInAnyOrderElementsOf(published);
        assertThat(all(VERSION, bom()).get(0))
                .isEqualTo(
                        all(VERSION, Files.readString(ROOT.resolve("pom.xml"))).get(0));
    }

    /** Returns the artifacts of {@code psf-bom}. */
    static List<String> managed() throws IOException {
        return all(MANAGED, bom());
    }

    private static String bom() throws IOException {
        return Files.readString(ROOT.resolve("psf-bom/pom.xml"));
    }

    private static List<String> all(Pattern pattern, String text) {
        Stream<String> found = pattern.matcher(text).results().map(each -> each.group(1));
        return found.toList();
    }
}
