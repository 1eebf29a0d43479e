package io.psf.cli;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of a node's log, in the one form that all psf processes print:
 * {@code 12:00:00.000 [server 1] INFO  server has rank 1}.
 *
 * @param node role and rank of the node
 * @param level the level, such as {@code WARN}
 * @param text the message
 */
public record LogLine(String node, String level, String text) {
    private static final Pattern FORM = Pattern.compile("\\d\\d:\\d\\d:\\d\\d\\.\\d{3} \\[([^\\]]+)\\] ([A-Z]+) +(.*)");

    /** Parses a line; empty if it is another one, such as a line that a program prints. */
    public static Optional<LogLine> parse(String line) {
        Matcher form = FORM.matcher(line);
        return form.matches()
                ? Optional.of(new LogLine(form.group(1), form.group(2), form.group(3)))
                : Optional.empty();
    }

    /** True if the line is of information, neither a warning nor an error. */
    public boolean isInformation() {
        return level.equals("INFO") || level.equals("DEBUG") || level.equals("TRACE");
    }

    /** Returns a line of a node as it is shown with other nodes' lines: a log line names its node itself. */
    static String shown(String node, String line) {
        return parse(line).isPresent() ? line : "[" + node + "] " + line;
    }
}
