package io.psf.acceptance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The blocks of a page of the documents, in its order. A comment before a block of Java is for the tests:
 *
 * <ul>
 *   <li>{@code <!-- given: .. -->} declares the variables that the text or an earlier block has introduced
 *   <li>{@code <!-- workers: N -->} is the number of workers of its cluster, if it is not 1
 *   <li>{@code <!-- compiled only: .. -->} is the reason that the block is not run
 *   <li>{@code <!-- file: PATH -->} names the file of the class path that the block is
 *   <li>{@code <!-- example: .. -->} before shown lines is the reason that they are not compared
 * </ul>
 */
final class Page {
    static final Path ROOT = Path.of("../..");
    private static final Pattern FENCED =
            Pattern.compile("((?:^<!-- .*? -->\\n)*)^```(\\w*)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern COMMENT = Pattern.compile("<!-- ([a-z ]+):?\\s+(.*?) -->", Pattern.DOTALL);
    private static final Pattern COMMANDS = Pattern.compile("(?<=\\n\\n)(?: {4}.*\\S.*\\n)+");

    /**
     * A block.
     *
     * @param page the page's name, such as {@code docs/guide.md}
     * @param line the number of its first line in the page, from 1
     * @param language the language that it names, {@code commands} if it is indented, or nothing
     * @param text its lines
     * @param before the comments before it
     */
    record Block(String page, int line, String language, String text, String before) {
        /** Returns the texts of the comments of a kind, joined. */
        String comment(String kind) {
            StringBuilder found = new StringBuilder();
            Matcher matcher = COMMENT.matcher(before);
            while (matcher.find()) {
                if (matcher.group(1).equals(kind)) {
                    found.append(matcher.group(2)).append('\n');
                }
            }
            return found.toString().strip();
        }

        @Override
        public String toString() {
            return page + ":" + line;
        }
    }

    /** The commands of a block, each in one line, without remarks. */
    static List<String> commands(Block block) {
        return block.text()
                .replaceAll("\\\\\n *", "")
                .lines()
                .map(line -> line.replaceFirst("\\s+# .*", "").strip())
                .toList();
    }

    private Page() {}

    /** The README and all pages of the user's guide. */
    static List<Path> ofUsers() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("docs/guide.md")));
        try (Stream<Path> chapters = Files.list(ROOT.resolve("docs/guide"))) {
            chapters.sorted().forEach(pages::add);
        }
        return pages;
    }

    /** The pages on extending psf. */
    static List<Path> ofExtensions() throws IOException {
        try (Stream<Path> pages = Files.list(ROOT.resolve("docs/extend"))) {
            return pages.sorted().toList();
        }
    }

    static List<Block> blocks(Path page) throws IOException {
        String text = Files.readString(page);
        String name = page.toString().replace('\\', '/').replaceFirst("^(\\.\\./)+", "");
        List<Block> blocks = new ArrayList<>();
        Matcher fenced = FENCED.matcher(text);
        int end = 0;
        while (fenced.find()) {
            addCommands(blocks, name, text, end, fenced.start());
            blocks.add(new Block(name, line(text, fenced.start(3)), fenced.group(2), fenced.group(3), fenced.group(1)));
            end = fenced.end();
        }
        addCommands(blocks, name, text, end, text.length());
        return blocks;
    }

    private static void addCommands(List<Block> blocks, String name, String text, int begin, int end) {
        Matcher commands = COMMANDS.matcher(text).region(begin, end).useTransparentBounds(true);
        while (commands.find()) {
            blocks.add(new Block(
                    name,
                    line(text, commands.start()),
                    "commands",
                    commands.group().stripIndent(),
                    ""));
        }
    }

    private static int line(String text, int position) {
        return (int) text.substring(0, position).lines().count() + 1;
    }
}
