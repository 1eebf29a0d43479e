package io.psf.processor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Test;

/**
 * The class that is generated for {@code good/X.java} equals {@code expected/XPsf.java}; {@code -Dgolden.update=true} rewrites it.
 */
class GoldenTest {
    private static final boolean UPDATE = Boolean.getBoolean("golden.update");

    @Test
    void whatIsGeneratedIsWhatIsExpected() throws IOException {
        Compilation compilation = Fixtures.good();
        assertThat(compilation.diagnostics()).isEmpty();
        assertThat(compilation.status()).isEqualTo(Compilation.Status.SUCCESS);

        Map<String, String> generated = new TreeMap<>();
        for (JavaFileObject file : compilation.generatedSourceFiles()) {
            String name = Path.of(file.getName()).getFileName().toString();
            generated.put(name, file.getCharContent(false).toString());
        }
        if (UPDATE) {
            for (Path old : Fixtures.in("expected")) {
                Files.delete(old);
            }
            for (Map.Entry<String, String> each : generated.entrySet()) {
                Files.writeString(Fixtures.file("expected", each.getKey()), each.getValue());
            }
        }
        Map<String, String> expected = new TreeMap<>();
        for (Path file : Fixtures.in("expected")) {
            expected.put(file.getFileName().toString(), Fixtures.text(file));
        }
        assertThat(generated.keySet()).isEqualTo(expected.keySet());
        generated.forEach((name, text) -> assertThat(text).as(name).isEqualTo(expected.get(name)));
    }
}
