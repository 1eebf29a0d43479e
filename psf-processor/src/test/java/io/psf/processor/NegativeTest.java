package io.psf.processor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import io.psf.processor.read.Message;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each {@code bad/Y.java} says with {@code // ERROR [PsfId]} which problem is told on which line, in a sentence; no
 * other is.
 */
class NegativeTest {
    private static final Pattern EXPECTED = Pattern.compile("ERROR \\[(\\w+)]");
    private static final Pattern TOLD = Pattern.compile("(?s)\\[(Psf\\w+)] .*");
    private static final Pattern SENTENCE = Pattern.compile("(?s)\\[Psf\\w+] .*[^.)(\\s][.?)]+");

    static List<Path> fixtures() {
        return Fixtures.in("bad");
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void everyProblemIsToldOnItsLineAndNothingElse(Path fixture) {
        Path schemas = Fixtures.schemas(fixture);
        Compilation compilation = Files.exists(schemas)
                ? Fixtures.compileWith(schemas, false, Fixtures.source(fixture))
                : Fixtures.compile(Fixtures.source(fixture));
        List<String> told = new ArrayList<>();
        for (Diagnostic<? extends JavaFileObject> each : compilation.diagnostics()) {
            Matcher id = TOLD.matcher(each.getMessage(null));
            told.add(id.matches() ? each.getLineNumber() + " " + id.group(1) : each.toString());
            assertThat(each.getMessage(null)).matches(SENTENCE).contains("(expected: ");
        }
        assertThat(told).containsExactlyInAnyOrderElementsOf(expected(fixture));
        assertThat(compilation.status()).isEqualTo(Compilation.Status.FAILURE);
    }

    @Test
    void everyProblemOccursInAFixture() {
        Set<String> seen = new TreeSet<>();
        for (Path fixture : fixtures()) {
            expected(fixture).forEach(each -> seen.add(each.substring(each.indexOf(' ') + 1)));
        }
        assertThat(seen)
                .isEqualTo(new TreeSet<>(
                        Arrays.stream(Message.values()).map(Message::id).toList()));
    }

    private static List<String> expected(Path fixture) {
        List<String> expected = new ArrayList<>();
        List<String> lines = Fixtures.text(fixture).lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            Matcher id = EXPECTED.matcher(lines.get(i));
            while (id.find()) {
                expected.add((i + 1) + " " + id.group(1));
            }
        }
        return expected;
    }
}
