package io.psf.cli;

import java.lang.Character.UnicodeScript;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Texts in the columns of a terminal. */
final class Text {
    private static final String CUT = "..";
    private static final Set<UnicodeScript> WIDE =
            Set.of(UnicodeScript.HAN, UnicodeScript.HIRAGANA, UnicodeScript.KATAKANA, UnicodeScript.HANGUL);
    /** The first of the symbols that terminals draw in two columns. */
    private static final int SYMBOLS = 0x1F300;

    private Text() {}

    /** Returns the number of a terminal's columns that a text takes. */
    static int width(String text) {
        return text.codePoints().map(Text::width).sum();
    }

    private static int width(int point) {
        boolean wide = WIDE.contains(UnicodeScript.of(point)) || point >= SYMBOLS && point < 0x20000;
        return wide ? 2 : 1;
    }

    /** Returns a text of at most {@code most} columns: its beginning and its end, {@code demo.em..wide}. */
    static String withoutMiddle(String text, int most) {
        if (width(text) <= most) {
            return text;
        }
        int left = (most - CUT.length() + 1) / 2;
        int[] points = text.codePoints().toArray();
        String start = start(points, left);
        StringBuilder end = new StringBuilder();
        int rest = most - CUT.length() - left;
        for (int i = points.length - 1; i >= 0 && width(points[i]) <= rest; i--) {
            rest -= width(points[i]);
            end.insert(0, Character.toString(points[i]));
        }
        return start + CUT + end;
    }

    /** Returns a text of at most {@code most} columns: its beginning, {@code Adam[lr=0.01, ..}. */
    static String withoutEnd(String text, int most) {
        return width(text) <= most ? text : start(text.codePoints().toArray(), most - CUT.length()) + CUT;
    }

    private static String start(int[] points, int most) {
        StringBuilder start = new StringBuilder();
        int rest = most;
        for (int i = 0; i < points.length && width(points[i]) <= rest; i++) {
            rest -= width(points[i]);
            start.appendCodePoint(points[i]);
        }
        return start.toString();
    }

    /** Returns words in lines of at most {@code most} columns, each of which begins with an indent. */
    static List<String> wrap(String indent, String words, int most) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder(indent);
        for (String word : words.split(" ", -1)) {
            boolean isFirst = line.length() == indent.length();
            if (!isFirst && width(line + " " + word) > most) {
                lines.add(line.toString());
                line = new StringBuilder(indent);
                isFirst = true;
            }
            line.append(isFirst ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
