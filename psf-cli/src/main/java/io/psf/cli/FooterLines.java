package io.psf.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Writes the footer of a command's help within the width of the terminal. In a line such as
 * {@code "  PSF_RANK  the requested rank"} the words after the name are a column. A line that begins with many blanks
 * continues the line above. Examples, which begin with two blanks, stay as they are.
 */
final class FooterLines implements IHelpSectionRenderer {
    private static final Pattern NAMED = Pattern.compile("  (PSF_\\S+) +(.*)");
    private static final String CONTINUED = " ".repeat(10);
    private static final int INDENT = 23;

    private FooterLines() {}

    /** Has a command and its subcommands write their footers so. */
    static void set(CommandLine command) {
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_FOOTER, new FooterLines());
        command.getSubcommands().values().forEach(FooterLines::set);
    }

    @Override
    public String render(Help help) {
        UsageMessageSpec usage = help.commandSpec().usageMessage();
        String all =
                String.format(Locale.ROOT, String.join("\n", usage.footer())).replaceAll("\n" + CONTINUED + " *", " ");
        StringBuilder text = new StringBuilder();
        for (String line : all.split("\\R", -1)) {
            Matcher named = NAMED.matcher(line);
            if (named.matches()) {
                wrap(("  %-" + (INDENT - 3) + "s ").formatted(named.group(1)), named.group(2), usage.width(), text);
            } else if (line.startsWith("  ")) {
                text.append(line).append(System.lineSeparator());
            } else {
                wrap("", line, usage.width(), text);
            }
        }
        return all.isEmpty() ? "" : text.toString();
    }

    /**
     * Appends words after a name, in lines of at most {@code width} columns, all but the first one indented as the name
     * is long.
     */
    private static void wrap(String name, String words, int width, StringBuilder text) {
        StringBuilder line = new StringBuilder(name);
        int begin = line.length();
        for (String word : words.split(" ", -1)) {
            if (line.length() > begin && line.length() + 1 + word.length() > width) {
                text.append(line).append(System.lineSeparator());
                line.setLength(0);
                line.append(" ".repeat(name.isEmpty() ? 0 : INDENT));
                begin = line.length();
            }
            line.append(line.length() > begin ? " " : "").append(word);
        }
        text.append(line).append(System.lineSeparator());
    }
}
