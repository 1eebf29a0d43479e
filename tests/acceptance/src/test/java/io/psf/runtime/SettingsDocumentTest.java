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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;

/** The table of the guide and the help of a node have every setting, and no page names another one. */
final class SettingsDocumentTest {
    private static final Pattern NAME = Pattern.compile("\\bPSF_[A-Z_]+");

    /** Variables that are no settings of a node: the file with them, the flags of its JVM, and vectors. */
    private static final List<String> OTHERS = List.of("PSF_CONFIG", "PSF_JAVA_OPTS", "PSF_VECTORS");

    private static Set<String> settings() {
        return SettingsKey.ALL.stream().map(SettingsKey::name).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> namesIn(String text) {
        return NAME.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theTableHasEverySetting() throws IOException {
        String page = Files.readString(Path.of("../../docs/guide/clusters.md"));
        Set<String> keys = page.lines()
                .filter(line -> line.startsWith("| `PSF_"))
                .flatMap(line -> namesIn(line.substring(0, line.indexOf('|', 1))).stream())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(keys).isEqualTo(known());
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "SECURITY.md", "docs/guide.md", "docs/guide/clusters.md", "docs/operate.md"})
    void aPageNamesNoOtherSetting(String page) throws IOException {
        assertThat(namesIn(Files.readString(Path.of("../..", page))))
                .isNotEmpty()
                .isSubsetOf(known());
    }

    private static Set<String> known() {
        Set<String> known = settings();
        known.addAll(OTHERS);
        return known;
    }

    /** A gap such as "no TLS" is none any more once there are settings for it. */
    @Test
    void noKnownGapIsAboutASetting() throws IOException {
        String changes = Files.readString(Path.of("../../CHANGELOG.md"));
        String gaps = changes.substring(changes.indexOf("### Known gaps"));
        Set<String> words = settings().stream()
                .flatMap(setting -> Stream.of(setting.split("_")).skip(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(gaps.split("\\W+")).doesNotContainAnyElementsOf(words);
    }

    @Test
    void theHelpOfANodeHasEverySetting() throws ClassNotFoundException {
        Command node = Class.forName("io.psf.cli.NodeCommand").getAnnotation(Command.class);
        Set<String> expected = settings();
        expected.addAll(List.of("PSF_CONFIG", "PSF_VECTORS"));
        assertThat(namesIn(String.join("\n", node.footer()))).isEqualTo(expected);
    }
}
