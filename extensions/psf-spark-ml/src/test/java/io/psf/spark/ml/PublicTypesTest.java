package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The types of both modules of Spark that users may name: those that {@code public-types.txt} lists. */
final class PublicTypesTest {
    private static final Path LIST = Path.of("src/test/resources/public-types.txt");
    private static final List<Path> CLASSES =
            List.of(Path.of("target/classes"), Path.of("../psf-spark/target/classes"));

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
        for (Path folder : CLASSES) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.toList()) {
                    String name = folder.relativize(file).toString().replace('/', '.');
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
        }
        assertThat(types).containsExactlyInAnyOrderElementsOf(listed());
    }
}
