package io.psf.cli;

import io.psf.api.Place;
import io.psf.api.PsException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.lang.model.SourceVersion;

/**
 * The sources of a new function: the template files next to this class, filled in.
 *
 * @param type the interface's simple name
 * @param inPackage the interface's package
 * @param place where the function runs
 */
record FunctionSources(String type, String inPackage, Place place) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*");
    private static final Pattern PACKAGE = Pattern.compile("[A-Za-z][A-Za-z0-9_]*(\\.[A-Za-z][A-Za-z0-9_]*)*");
    private static final int LONGEST = 80;

    /** The simple names that the templates use, which a function cannot have. */
    private static final Set<String> TAKEN = Set.of(
            "AtomicLong",
            "ByRange",
            "FloatArray",
            "Main",
            "Node",
            "Place",
            "PsCluster",
            "PsFunction",
            "PsHandler",
            "PsfTest",
            "Reduce",
            "Request",
            "Response",
            "Settings",
            "Shard",
            "TensorId",
            "TensorSpec",
            "Tensors",
            "Test",
            "Worker");

    /**
     * Returns the sources of a new function.
     *
     * @param name such as {@code row-norms}, {@code rowNorms} or {@code RowNorms}
     * @throws PsException with {@code CONFIGURATION} if a name is not valid in Java or is taken
     */
    static FunctionSources of(String name, String inPackage, Place place) {
        requireName(name);
        StringBuilder type = new StringBuilder();
        for (String word : name.split("-", -1)) {
            type.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
        }
        if (TAKEN.contains(type.toString()) || isInJavaLang(type.toString())) {
            throw failure("NAME: %s (expected: another, since Java or psf has a class %s)".formatted(name, type));
        }
        requirePackage(inPackage);
        return new FunctionSources(type.toString(), inPackage, place);
    }

    /** Checks the name of a function or of a project. */
    static void requireName(String name) {
        if (!NAME.matcher(name).matches() || name.length() > LONGEST) {
            throw failure(String.format(
                    Locale.ROOT,
                    "NAME: %s (expected: a letter, then letters, digits and single hyphens, such as row-norms; at most %d;"
                            + " --dir names the folder)",
                    name,
                    LONGEST));
        }
    }

    private static void requirePackage(String name) {
        if (!PACKAGE.matcher(name).matches() || !SourceVersion.isName(name) || name.length() > LONGEST) {
            throw failure(String.format(
                    Locale.ROOT,
                    "--package: %s (expected: a package in Java, such as com.acme; at most %d)",
                    name,
                    LONGEST));
        }
        String first = name.replaceFirst("\\..*", "");
        if (first.equals("java") || first.equals("psf")) {
            throw failure("--package: %s (expected: one of your own, such as com.acme)".formatted(name));
        }
    }

    private static boolean isInJavaLang(String type) {
        try {
            Class.forName("java.lang." + type, false, null);
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** Returns the last part of the function's name, such as {@code row-norms}; also the folder of a new project. */
    String artifact() {
        return type.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }

    /** Returns the function's name, such as {@code acme.row-norms}. */
    private String function() {
        return inPackage.toLowerCase(Locale.ROOT) + "." + artifact();
    }

    /** Returns the texts of the interface, its handler and its test, by their paths in a project. */
    Map<String, String> sources() {
        String file = "/java/" + folder() + "/" + type;
        Map<String, String> files = new LinkedHashMap<>();
        files.put("src/main" + file + ".java", Template.filled(kind() + "-function", words()));
        files.put("src/main" + file + "OnHost.java", Template.filled(kind() + "-handler", words()));
        files.put("src/test" + file + "Test.java", Template.filled(kind() + "-test", words()));
        return files;
    }

    /** Returns the folder of the package, below a folder of sources. */
    String folder() {
        return inPackage.replace('.', '/');
    }

    /** Returns the name of the place, as templates and options have it. */
    String kind() {
        return place.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the words of the templates. */
    Map<String, String> words() {
        return Map.of("package", inPackage, "function", function(), "Name", type);
    }

    private static PsException failure(String detail) {
        return new PsException(PsException.Code.CONFIGURATION, detail);
    }
}
