import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes the wheel of the package for Python, without Python: a zip of its files and of what {@code pyproject.toml}
 * says of them, as PEP 427 describes it. The same files make the same wheel.
 */
final class Wheel {
    private static final LocalDateTime TIME = LocalDateTime.of(2020, 1, 1, 0, 0);

    private final String project;
    private final Map<String, byte[]> files = new TreeMap<>();

    private Wheel(Path folder) throws IOException {
        project = Files.readString(folder.resolve("pyproject.toml"));
        String name = value("name");
        try (Stream<Path> all = Files.walk(folder.resolve(name))) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String path = folder.relativize(file).toString().replace('\\', '/');
                if (!path.contains("__pycache__")) {
                    files.put(path, Files.readAllBytes(file));
                }
            }
        }
        String info = name + "-" + value("version") + ".dist-info/";
        put(info + "METADATA", metadata());
        put(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: psf\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
        put(info + "RECORD", record(info + "RECORD"));
    }

    private void put(String path, String text) {
        files.put(path, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns what the project says of a key, the first one of that name. */
    private String value(String key) {
        Matcher found = Pattern.compile("(?m)^" + key + " = (?:\"|\\[\"|\\{ text = \")([^\"]*)\"").matcher(project);
        if (!found.find()) {
            throw new IllegalArgumentException("pyproject.toml: no " + key + " (expected: one, on a line of its own)");
        }
        return found.group(1);
    }

    private String metadata() {
        return "Metadata-Version: 2.1\nName: " + value("name") + "\nVersion: " + value("version") + "\nSummary: "
                + value("description") + "\nLicense: " + value("license") + "\nRequires-Python: "
                + value("requires-python") + "\nRequires-Dist: " + value("dependencies") + "\n";
    }

    /** Returns the list of all files with their hashes; of itself it has none. */
    private String record(String itself) {
        StringBuilder lines = new StringBuilder();
        files.forEach((path, content) -> lines.append(path)
                .append(",sha256=")
                .append(hash(content))
                .append(',')
                .append(content.length)
                .append('\n'));
        return lines.append(itself).append(",,\n").toString();
    }

    private static String hash(byte[] content) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256: missing (expected: in every JDK)", e);
        }
    }

    private void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        Path file = folder.resolve(value("name") + "-" + value("version") + "-py3-none-any.whl");
        try (OutputStream out = Files.newOutputStream(file);
                ZipOutputStream zip = new ZipOutputStream(out, StandardCharsets.UTF_8)) {
            for (Map.Entry<String, byte[]> each : files.entrySet()) {
                ZipEntry entry = new ZipEntry(each.getKey());
                entry.setTimeLocal(TIME);
                zip.putNextEntry(entry);
                zip.write(each.getValue());
                zip.closeEntry();
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        new Wheel(Path.of(arguments[0])).write(Path.of(arguments[1]));
    }
}
