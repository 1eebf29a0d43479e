package io.psf.gpu.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes JSON: of maps, lists, strings, numbers, booleans and null. */
final class Json {
    private Json() {}

    static String of(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(each -> quoted(String.valueOf(each.getKey())) + ": " + of(each.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Json::of).collect(Collectors.joining(",\n    ", "[", "]"));
        }
        if (value instanceof Double number) {
            return Double.isFinite(number) ? String.format(Locale.ROOT, "%.6g", number) : "null";
        }
        return value == null || value instanceof Number || value instanceof Boolean
                ? String.valueOf(value)
                : quoted(value.toString());
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each == '"' || each == '\\') {
                quoted.append('\\').append(each);
            } else if (each < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) each));
            } else {
                quoted.append(each);
            }
        }
        return quoted.append('"').toString();
    }
}
