package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that the names in {@code docs/architecture.md} and in the pages on extending psf are those of the sources.
 */
final class ArchitectureDocumentTest {
    private static final Path ROOT = Path.of("../..");
    /** A class, or a class and its member. A name in capitals is none. */
    private static final Pattern NAME = Pattern.compile("`([A-Z]\\w*[a-z]\\w*)(?:\\.(\\w+))?`");

    private static final Pattern DRAWN =
            Pattern.compile("(?m)^ *([^A-Z\n]*?)  +([A-Z]\\w+(?:(?:, | \\| )[A-Z]\\w+)*)$");
    private static final Pattern DRAWN_PACKAGE = Pattern.compile("[a-z.]+");

    private static final Pattern PACKAGE = Pattern.compile("`(io\\.psf[a-z.]*)`");

    @Test
    void everyClassAndMemberExists() throws IOException {
        Map<String, List<Path>> sources = sources();
        List<String> missing = new ArrayList<>();
        int found = 0;
        for (Path page : pages()) {
            Matcher names = NAME.matcher(Files.readString(page));
            while (names.find()) {
                found++;
                String member = names.group(2) == null ? "" : names.group(2);
                boolean exists = false;
                for (Path source : sources.getOrDefault(declaring(names.group(1)), List.of())) {
                    exists |= Files.readString(source).contains(member);
                }
                if (!exists) {
                    missing.add(page.getFileName() + ": " + names.group());
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(found).isGreaterThan(50);
    }

    @Test
    void everyPackageExists() throws IOException {
        List<String> files = sources().values().stream()
                .flatMap(List::stream)
                .map(file -> file.toString().replace(File.separatorChar, '.'))
                .toList();
        for (Path page : pages()) {
            Matcher names = PACKAGE.matcher(Files.readString(page));
            while (names.find()) {
                String name = "." + names.group(1) + ".";
                assertThat(files).as("%s of %s", name, page).anyMatch(each -> each.contains(name));
            }
        }
    }

    /** A line of the drawing names packages, and then, divided by bars, the classes of each. */
    @Test
    void theClassesOfTheDrawingAreInItsPackages() throws IOException {
        Map<String, List<Path>> sources = sources();
        List<String> missing = new ArrayList<>();
        int found = 0;
        Matcher lines = DRAWN.matcher(Files.readString(ROOT.resolve("docs/architecture.md")));
        while (lines.find()) {
            List<String> packages = DRAWN_PACKAGE
                    .matcher(lines.group(1))
                    .results()
                    .map(each -> each.group().replaceAll("^\\.", "").replace('.', '/'))
                    .toList();
            String[] classes = lines.group(2).split(" \\| ", -1);
            for (int i = 0; i < classes.length; i++) {
                String folder = "/" + packages.get(i) + "/";
                for (String name : classes[i].split(", ", -1)) {
                    found++;
                    if (sources.getOrDefault(name, List.of()).stream()
                            .noneMatch(source -> source.toString().contains(folder + name + ".java"))) {
                        missing.add(folder + name);
                    }
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(found).isGreaterThan(25);
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(Page.ofExtensions());
        pages.add(ROOT.resolve("docs/architecture.md"));
        return pages;
    }

    /** Returns the class whose source declares a class: of a generated one, the function's interface. */
    private static String declaring(String name) {
        return name.endsWith("Psf") ? name.substring(0, name.length() - "Psf".length()) : name;
    }

    /** A longer class does too much: give a part of it to a class of its own. Comments and blank lines do not count. */
    @Test
    void noClassHasMoreThan350LinesOfCode() throws IOException {
        for (List<Path> sameName : sources().values()) {
            for (Path source : sameName) {
                if (!source.toString().contains("/src/main/")) {
                    continue;
                }
                try (Stream<String> lines = Files.lines(source)) {
                    assertThat(lines.map(String::strip)
                                    .filter(line -> !line.isEmpty() && !line.matches("(/?\\*|//).*"))
                                    .count())
                            .as("lines of code of %s", source)
                            .isLessThanOrEqualTo(350);
                }
            }
        }
    }

    /** Returns the folders of the modules: those below the root, and those one folder further down. */
    private static List<Path> modules() throws IOException {
        try (Stream<Path> folders = Files.walk(ROOT, 2)) {
            return folders.filter(
                            each -> Files.exists(each.resolve("pom.xml")) && Files.isDirectory(each.resolve("src")))
                    .toList();
        }
    }

    /** Returns the sources of the checkout by the name of their class. */
    private static Map<String, List<Path>> sources() throws IOException {
        Map<String, List<Path>> sources = new HashMap<>();
        for (Path module : modules()) {
            try (Stream<Path> files = Files.walk(module.resolve("src"))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(file -> {
                    String name = file.getFileName().toString().replace(".java", "");
                    sources.computeIfAbsent(name, n -> new ArrayList<>()).add(file);
                });
            }
        }
        return sources;
    }
}
