package io.psf.processor.schema;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One version of a function's schema, parsed from its text.
 *
 * @param head the name and the place
 * @param request the text of each component of the request by name
 * @param response the text of each component of the response by name
 * @param tail the text behind the tuples
 */
record SchemaText(String head, Map<String, String> request, Map<String, String> response, String tail) {
    private static final String ARROW = " -> ";

    /** Parses the text. A text that is not a schema has only a head. */
    static SchemaText of(String text) {
        int open = text.indexOf('(');
        int close = end(text, open);
        int second = close + ARROW.length();
        if (open < 0 || close < 0 || !text.startsWith(ARROW, close) || end(text, second) < 0) {
            return new SchemaText(text, Map.of(), Map.of(), "");
        }
        int last = end(text, second);
        return new SchemaText(
                text.substring(0, open).strip(),
                components(text.substring(open + 1, close - 1)),
                components(text.substring(second + 1, last - 1)),
                text.substring(last).strip());
    }

    /** Returns the index one past the bracket that closes the bracket at {@code open}; -1 if there is none. */
    private static int end(String text, int open) {
        int depth = 0;
        for (int i = open; i >= 0 && i < text.length(); i++) {
            char c = text.charAt(i);
            depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
            if (depth == 0) {
                return i == open ? -1 : i + 1;
            }
        }
        return -1;
    }

    private static Map<String, String> components(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
            if (depth == 0 && c == ',') {
                parts.add(text.substring(from, i));
                from = i + 1;
            }
        }
        parts.add(text.substring(from));
        Map<String, String> components = new LinkedHashMap<>();
        for (String part : parts) {
            int colon = part.indexOf(':');
            if (colon > 0) {
                components.put(part.substring(0, colon).strip(), part.substring(colon + 1));
            }
        }
        return components;
    }
}
