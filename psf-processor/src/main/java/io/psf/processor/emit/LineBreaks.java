package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Breaks the lines of texts in generated code. */
final class LineBreaks {
    /** A line's length without the indentation of a nested class. */
    private static final int WIDTH = 90;

    private static final int LITERAL_WIDTH = 80;

    private static final Pattern WORD = Pattern.compile("\\{@\\w+ [^}]*}\\S*|\\S+");

    private LineBreaks() {}

    /**
     * Returns a paragraph or tag of javadoc in lines. An inline tag is not broken, and no line begins with {@code @},
     * since it would be a tag.
     */
    static String wrapped(String paragraph) {
        StringBuilder text = new StringBuilder();
        String continued = paragraph.startsWith("@") ? "\n    " : "\n";
        Matcher word = WORD.matcher(paragraph);
        int column = 0;
        while (word.find()) {
            boolean breaks = column + 1 + word.group().length() > WIDTH
                    && column > 0
                    && !word.group().startsWith("@");
            text.append(column == 0 ? "" : breaks ? continued : " ").append(word.group());
            column = (breaks ? continued.length() - 1 : column + (column == 0 ? 0 : 1))
                    + word.group().length();
        }
        return text.toString();
    }

    /** Returns a string as a concatenation of literals, each on its own line. */
    static CodeBlock literal(String text) {
        List<String> pieces = pieces(text);
        CodeBlock.Builder literal = CodeBlock.builder().add("$S$>$>", pieces.get(0));
        pieces.subList(1, pieces.size()).forEach(piece -> literal.add("\n+ $S", piece));
        return literal.add("$<$<").build();
    }

    private static List<String> pieces(String text) {
        List<String> pieces = new ArrayList<>();
        int from = 0;
        while (text.length() - from > LITERAL_WIDTH) {
            int end = text.lastIndexOf(' ', from + LITERAL_WIDTH - 1) + 1;
            end = end <= from ? from + LITERAL_WIDTH : end;
            pieces.add(text.substring(from, end));
            from = end;
        }
        pieces.add(text.substring(from));
        return pieces;
    }
}
