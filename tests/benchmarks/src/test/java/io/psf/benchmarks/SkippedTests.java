package io.psf.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * The tests that the build has skipped since this machine lacks something, such as a C++ compiler: a line for each module
 * and reason. The last module of the build prints them, so that a build which has passed says what it has not tried.
 */
public final class SkippedTests {
    /** The exceptions of JUnit and AssertJ put this before the reason. */
    private static final String PREFIX = "Assumption failed: ";

    private SkippedTests() {}

    /** Prints the lines of the modules in a folder, the only argument. */
    public static void main(String[] arguments) throws IOException {
        lines(Path.of(arguments[0])).forEach(line -> System.out.println("[WARNING] " + line));
    }

    /** Returns the lines of the modules in a folder, in the order of their names. */
    static List<String> lines(Path root) throws IOException {
        Map<String, Map<String, Integer>> reasons = new TreeMap<>();
        for (Path report : reports(root)) {
            Path path = root.relativize(report);
            String module = path.getName(path.getNameCount() - 4).toString(); // of MODULE/target/surefire-reports/FILE
            NodeList skipped = read(report).getElementsByTagName("skipped");
            for (int i = 0; i < skipped.getLength(); i++) {
                reasons.computeIfAbsent(module, name -> new TreeMap<>())
                        .merge(reason((Element) skipped.item(i)), 1, Integer::sum);
            }
        }
        return reasons.entrySet().stream()
                .flatMap(module -> module.getValue().entrySet().stream()
                        .map(each -> "not run: " + each.getValue() + (each.getValue() == 1 ? " test" : " tests")
                                + " of " + module.getKey() + ": " + each.getKey()))
                .toList();
    }

    private static List<Path> reports(Path root) throws IOException {
        try (Stream<Path> modules = Files.walk(root, 2)) {
            return modules.map(module -> module.resolve("target/surefire-reports"))
                    .filter(Files::isDirectory)
                    .flatMap(SkippedTests::list)
                    .filter(file -> file.getFileName().toString().matches("TEST-.*\\.xml"))
                    .sorted()
                    .toList();
        }
    }

    private static Stream<Path> list(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Document read(Path report) throws IOException {
        try {
            return DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(report.toFile());
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(report + ": not a report of tests: " + e.getMessage(), e);
        }
    }

    /** Returns the first line of the reason, without the exception's class. */
    private static String reason(Element skipped) {
        String given = skipped.hasAttribute("message") ? skipped.getAttribute("message") : skipped.getTextContent();
        String line = given.strip().lines().findFirst().orElse("without a reason");
        int at = line.indexOf(PREFIX);
        return at >= 0 ? line.substring(at + PREFIX.length()) : line.replaceFirst("^[\\w.$]+Exception: ", "");
    }
}
