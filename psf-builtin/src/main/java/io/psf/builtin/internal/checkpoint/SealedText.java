package io.psf.builtin.internal.checkpoint;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;

/**
 * The texts of a checkpoint: lines, of which the first names the format, and the last is the checksum of the others.
 */
final class SealedText {
    private static final String LAST = "crc32c ";

    private SealedText() {}

    /** Returns the lines with their checksum line. */
    static String seal(String lines) {
        return lines + LAST + String.format(Locale.ROOT, "%08x\n", checksum(lines));
    }

    /** Returns the CRC32C of a text. */
    static int checksum(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue();
    }

    /**
     * Returns the lines before the checksum line.
     *
     * @param first the expected first line: a format's name, a space, its version
     * @throws IllegalArgumentException if the first or the last line is not as expected
     */
    static List<String> lines(String text, String first) {
        int last = text.lastIndexOf(LAST);
        if (!text.startsWith(first.substring(0, first.indexOf(' ') + 1)) || last < 0) {
            throw new IllegalArgumentException("no first or last line");
        } else if (!text.startsWith(first + "\n")) {
            throw new IllegalArgumentException(
                    "first line: " + text.lines().findFirst().orElse("") + ", not " + first);
        }
        String crc = LAST + String.format(Locale.ROOT, "%08x\n", checksum(text.substring(0, last)));
        if (!text.substring(last).equals(crc)) {
            throw new IllegalArgumentException(
                    "last line: " + text.substring(last).strip() + ", not " + crc.strip());
        }
        return text.substring(0, last).lines().toList();
    }

    /**
     * Returns the fields of a line.
     *
     * @param name the expected first field
     * @throws IllegalArgumentException if the line has another first field, or another number of fields
     */
    static String[] fields(String line, String name, int count) {
        String[] fields = line.split(" ", -1);
        if (fields.length != count || !fields[0].equals(name)) {
            throw new IllegalArgumentException("line: " + line);
        }
        return fields;
    }
}
