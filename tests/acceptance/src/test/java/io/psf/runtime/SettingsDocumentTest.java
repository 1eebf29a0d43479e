package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages for those who run clusters have every setting, and no other. */
final class SettingsDocumentTest {
    private static final Pattern NAME = Pattern.compile("\\bPSF_[A-Z_]+");

    /** Variables that are no settings of a node: the file with them, the flags of its JVM, and vectors. */
    private static final List<String> OTHERS = List.of("PSF_CONFIG", "PSF_JAVA_OPTS", "PSF_VECTORS");

    @ParameterizedTest
    @ValueSource(strings = {"guide/clusters.md", "operate.md"})
    void aPageHasEverySetting(String page) throws IOException {
        Set<String> expected =
                SettingsKey.ALL.stream().map(SettingsKey::name).collect(Collectors.toCollection(TreeSet::new));
        expected.addAll(OTHERS);

        Set<String> found = NAME.matcher(Files.readString(Path.of("../../docs", page)))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(found).isEqualTo(expected);
    }
}
