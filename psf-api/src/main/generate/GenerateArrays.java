import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes ByteArray, IntArray and LongArray. Each is DoubleArray with another type in place of double, and without its
 * arithmetic. The build runs this file before it compiles psf-api.
 */
final class GenerateArrays {
    /** A type of elements. */
    private record Element(String name, String description) {}

    private static final List<Element> ELEMENTS =
            List.of(new Element("Byte", "int8"), new Element("Int", "int32"), new Element("Long", "int64"));

    private static final Pattern ARITHMETIC = Pattern.compile(
            " *// Arithmetic, which arrays of integers do not have\\..*// End of the arithmetic\\.\\R\\R",
            Pattern.DOTALL);

    /** Arguments: the folder of the package's sources, and the folder for the classes that are written. */
    public static void main(String[] folders) throws IOException {
        Path source = Path.of(folders[0], "DoubleArray.java");
        Matcher arithmetic = ARITHMETIC.matcher(Files.readString(source));
        if (!arithmetic.find()) {
            throw new IllegalStateException(
                    source + ": no text between the two comments (expected: " + ARITHMETIC + ")");
        }
        String doubles = arithmetic.replaceFirst("");
        Path target = Files.createDirectories(Path.of(folders[1]));
        for (Element element : ELEMENTS) {
            write(target.resolve(element.name() + "Array.java"), of(element, doubles));
        }
        // Tells the script psf when the last build began.
        Files.setLastModifiedTime(target, FileTime.from(Instant.now()));
    }

    private static String of(Element element, String doubles) {
        return "// Made of DoubleArray.java by GenerateArrays.java: changes belong there.\n"
                + doubles.replaceFirst("// The build makes .*\\R\\R", "")
                        .replace("Double", element.name())
                        .replace("double", element.name().toLowerCase(Locale.ROOT))
                        .replace("DOUBLE", element.name().toUpperCase(Locale.ROOT))
                        .replace("float64", element.description());
    }

    /** Writes a file unless it is up to date: a newer file would be compiled again. */
    private static void write(Path file, String text) throws IOException {
        if (!Files.exists(file) || !Files.readString(file).equals(text)) {
            Files.writeString(file, text);
        }
    }
}
