package io.psf.processor.emit;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Spells names as Python does. */
final class PythonNames {
    private static final Set<String> KEYWORDS = Set.of(
            "False",
            "None",
            "True",
            "and",
            "as",
            "assert",
            "async",
            "await",
            "break",
            "class",
            "continue",
            "def",
            "del",
            "elif",
            "else",
            "except",
            "finally",
            "for",
            "from",
            "global",
            "if",
            "import",
            "in",
            "is",
            "lambda",
            "nonlocal",
            "not",
            "or",
            "pass",
            "raise",
            "return",
            "try",
            "while",
            "with",
            "yield");
    private static final Pattern WORDS = Pattern.compile("(?U)\\W+");
    private static final Pattern HUMPS = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");

    private PythonNames() {}

    /** Returns the name of a component: {@code squaredNorm} is {@code squared_norm}, {@code from} is {@code from_}. */
    static String component(String name) {
        String spelled = HUMPS.matcher(name).replaceAll("_").toLowerCase(Locale.ROOT);
        return KEYWORDS.contains(spelled) || spelled.equals("self") ? spelled + "_" : spelled;
    }

    /** Returns the name of a class: {@code graph.degrees} is {@code GraphDegrees}. */
    static String type(String name) {
        String spelled = WORDS.splitAsStream(name)
                .filter(word -> !word.isEmpty())
                .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
                .collect(Collectors.joining());
        return KEYWORDS.contains(spelled) ? spelled + "_" : spelled;
    }

    /**
     * Returns the name of a module: {@code graph.degrees} is {@code graph_degrees}.
     *
     * @param ending what a name gets that Python or its package {@code psf} has
     */
    static String module(String name, String ending) {
        String spelled = name.replaceAll("\\W", "_");
        return KEYWORDS.contains(spelled) || spelled.equals("psf") ? spelled + ending : spelled;
    }
}
