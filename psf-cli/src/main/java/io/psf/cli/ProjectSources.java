package io.psf.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A new Maven project around a function: the build, a program that calls the function, a README, and a log that is
 * silent in tests.
 *
 * @param name the project's name: the artifact, and the title of the README
 * @param function its function
 * @param script the program {@code psf}, as commands in the project's folder name it
 */
record ProjectSources(String name, FunctionSources function, String script) {
    /** The property that the script sets: its checkout, whose artifacts are in the local Maven repository by then. */
    static final String CHECKOUT = "psf.checkout";

    private static final Pattern ARTIFACT = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]*");

    /** Returns the project of a folder, which is named like the folder if an artifact may have that name. */
    static ProjectSources of(Path folder, FunctionSources function) {
        Path last = folder.toAbsolutePath().normalize().getFileName();
        boolean isName = last != null && ARTIFACT.matcher(last.toString()).matches();
        return named(isName ? last.toString() : function.artifact(), folder, function);
    }

    static ProjectSources named(String name, Path folder, FunctionSources function) {
        return new ProjectSources(name, function, script(folder));
    }

    /** Returns the checkout whose script runs this program, or null if another program does. */
    static @Nullable Path checkout() {
        String checkout = System.getProperty(CHECKOUT, "");
        return checkout.isEmpty() ? null : Path.of(checkout);
    }

    /** A project beside the checkout or in it names the script by a path that is right on every machine. */
    private static String script(Path folder) {
        Path checkout = checkout();
        if (checkout == null) {
            return "psf";
        }
        Path project = folder.toAbsolutePath().normalize();
        Path script = checkout.resolve("psf");
        Path parent = project.getParent();
        boolean isNear = parent != null && (parent.equals(checkout) || parent.equals(checkout.getParent()));
        return isNear ? project.relativize(script).toString() : script.toString();
    }

    /**
     * Returns the texts of the project's files, the function's included, by their paths in it. A README and a
     * .gitignore that the folder has stay as they are.
     */
    Map<String, String> files(Path folder) {
        String kind = function.kind();
        Map<String, String> words = new LinkedHashMap<>(function.words());
        words.put("project", name);
        words.put("psf-script", script);
        words.put(
                "repository",
                checkout() == null && Template.isOfRelease()
                        ? "Maven Central"
                        : "the local Maven repository, where `./psf new` in psf's checkout has put it");
        Map<String, String> files = new LinkedHashMap<>();
        files.put("pom.xml", Template.filled("pom", words));
        files.put("README.md", Template.filled("readme", words));
        files.put(".gitignore", "target/\n");
        files.keySet().removeIf(file -> !file.equals("pom.xml") && Files.exists(folder.resolve(file)));
        files.put("src/main/java/" + function.folder() + "/Main.java", Template.filled(kind + "-main", words));
        files.putAll(function.sources());
        files.put("src/main/resources/logback.xml", Template.filled("logback", words));
        files.put("src/test/resources/logback-test.xml", Template.filled("logback-test", words));
        return files;
    }
}
