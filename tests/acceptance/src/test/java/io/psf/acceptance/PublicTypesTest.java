package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The types that users may name: those that {@code public-types.txt} lists. */
final class PublicTypesTest {
    private static final Path LIST = Path.of("src/test/resources/public-types.txt");

    private static final String INTERNAL = ".internal.";

    private static Set<String> listed() throws IOException {
        Set<String> types = new TreeSet<>();
        String of = "";
        for (String line : Files.readAllLines(LIST)) {
            if (line.startsWith("  ")) {
                String type = of + "." + line.strip().replaceFirst(":.*", "");
                boolean hasReason = !of.startsWith("io.psf.runtime") || line.matches(" +\\w+: .{10,}");
                assertThat(hasReason).as("the reason why %s is public", type).isTrue();
                assertThat(types.add(type)).as("%s is listed once", type).isTrue();
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                assertThat(line).as("package and reason").matches("[a-z.]+: .{10,}");
                of = line.substring(0, line.indexOf(':'));
            }
        }
        return types;
    }

    private static boolean isGenerated(JavaClass type) {
        return type.getSimpleName().matches(".*Psf(Provider)?");
    }

    @Test
    void eachPublicTypeIsListedWithAReason() throws IOException {
        Set<String> types = new TreeSet<>();
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(new WithoutTests())
                .importPackages(
                        "io.psf.api",
                        "io.psf.runtime",
                        "io.psf.builtin",
                        "io.psf.netty",
                        "io.psf.chronicle",
                        "io.psf.kvstore",
                        "io.psf.interchange",
                        "io.psf.dashboard")) {
            if (type.isTopLevelClass()
                    && type.getModifiers().contains(JavaModifier.PUBLIC)
                    && !type.getName().contains(INTERNAL)
                    && !isGenerated(type)) {
                types.add(type.getName());
            }
        }
        assertThat(types).containsExactlyInAnyOrderElementsOf(listed());
        assertThat(types.stream().filter(type -> type.startsWith("io.psf.runtime.")))
                .as("public types of the runtime: a number that may only become smaller")
                .hasSizeLessThanOrEqualTo(52);
    }
}
