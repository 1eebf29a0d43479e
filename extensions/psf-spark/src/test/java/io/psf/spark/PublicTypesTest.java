package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The types that users may name: those that {@code public-types.txt} lists. */
final class PublicTypesTest {
    private static final Path LIST = Path.of("src/test/resources/public-types.txt");
    private static final Path CLASSES = Path.of("target/classes");

    private static Set<String> listed() throws IOException {
        Set<String> types = new TreeSet<>();
        String of = "";
        for (String line : Files.readAllLines(LIST)) {
            if (line.startsWith("  ")) {
                assertThat(types.add(of + "." + line.strip()))
                        .as("%s is listed once", line)
                        .isTrue();
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                assertThat(line).as("package and reason").matches("[a-z.]+: .{10,}");
                of = line.substring(0, line.indexOf(':'));
            }
        }
        return types;
    }

    @Test
    void eachPublicTypeIsListedWithAReason() throws Exception {
        Set<String> types = new TreeSet<>();
        try (Stream<Path> files = Files.walk(CLASSES)) {
            for (Path file : files.toList()) {
                String name = CLASSES.relativize(file).toString().replace('/', '.');
                // Not nested ones, those of the processor, and what describes a package.
                if (name.matches("[\\w.]+(?<!Psf|PsfProvider)\\.class")) {
                    Class<?> type = Class.forName(
                            name.replaceFirst("\\.class$", ""),
                            false,
                            getClass().getClassLoader());
                    if (Modifier.isPublic(type.getModifiers())) {
                        types.add(type.getName());
                    }
                }
            }
        }
        assertThat(types).containsExactlyInAnyOrderElementsOf(listed());
    }
}
