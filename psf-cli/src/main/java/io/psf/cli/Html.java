package io.psf.cli;

import java.util.List;

/** Elements of HTML that are also well-formed XML. */
final class Html {
    private Html() {}

    /** Returns a text that is shown as it is, in an element or in the value of an attribute. */
    static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.codePoints().forEach(point -> {
            switch (point) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> {
                    boolean isText = point >= 0x20 && !Character.isISOControl(point) || point == '\n' || point == '\t';
                    boolean isXml = point != 0xFFFE && point != 0xFFFF && (point < 0xD800 || point > 0xDFFF);
                    escaped.appendCodePoint(isText && isXml ? point : 0xFFFD);
                }
            }
        });
        return escaped.toString();
    }

    /**
     * Returns a table, whose columns but the first are numbers.
     *
     * @param rows as many cells each as there are titles
     */
    static String table(List<String> titles, List<List<String>> rows) {
        StringBuilder table =
                new StringBuilder("<table><thead>").append(row("th", titles)).append("</thead>\n<tbody>\n");
        rows.forEach(each -> table.append(row("td", each)).append('\n'));
        return table.append("</tbody></table>\n").toString();
    }

    private static String row(String element, List<String> cells) {
        StringBuilder row = new StringBuilder("<tr>");
        cells.forEach(each -> row.append("<%s>%s</%s>".formatted(element, escaped(each), element)));
        return row.append("</tr>").toString();
    }

    /** Returns a paragraph of a class of style. */
    static String paragraph(String kind, String text) {
        return "<p class=\"%s\">%s</p>\n".formatted(kind, escaped(text));
    }
}
