package io.psf.counts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Counts the tests of a build from the reports of Surefire: the tests of each module, the failures, and the tests that
 * were not run since this machine lacks something, such as a C++ compiler, with the reasons.
 */
public final class TestCounts {
    /** The exceptions of JUnit and AssertJ put this before the reason. */
    private static final String PREFIX = "Assumption failed: ";

    private final Map<String, Integer> tests = new TreeMap<>();
    private final Map<String, Map<String, Integer>> skipped = new TreeMap<>();
    private final List<String> failures = new ArrayList<>();

    /**
     * Reads the reports of the modules in a folder, up to two folders below it.
     *
     * @param since older reports are from earlier builds
     */
    public TestCounts(Path root, Instant since) throws IOException {
        for (Path report : reports(root)) {
            if (!Files.getLastModifiedTime(report).toInstant().isBefore(since)) {
                Path path = root.relativize(report);
                add(
                        path.getName(path.getNameCount() - 4).toString(),
                        read(report)); // MODULE/target/surefire-reports/FILE
            }
        }
    }

    /**
     * Prints the counts. Fails if a test has failed.
     *
     * @param arguments the folder of the checkout; the time at which the build began, in ISO 8601; default: count all
     */
    public static void main(String[] arguments) throws IOException {
        TestCounts counts = new TestCounts(
                Path.of(arguments[0]), arguments.length > 1 ? Instant.parse(arguments[1]) : Instant.EPOCH);
        counts.lines().forEach(System.out::println);
        counts.requireNoFailure();
    }

    void requireNoFailure() {
        if (!failures.isEmpty()) {
            throw new IllegalStateException(failures.size() + " tests have failed (expected: 0)");
        }
    }

    private void add(String module, Document report) {
        NodeList cases = report.getElementsByTagName("testcase");
        for (int i = 0; i < cases.getLength(); i++) {
            Element each = (Element) cases.item(i);
            tests.merge(module, 1, Integer::sum);
            Element why = first(each, "skipped");
            if (why != null) {
                skipped.computeIfAbsent(module, name -> new TreeMap<>()).merge(reason(why), 1, Integer::sum);
            }
            if (first(each, "failure") != null || first(each, "error") != null) {
                failures.add(module + ": " + each.getAttribute("classname") + "." + each.getAttribute("name"));
            }
        }
    }

    private static @Nullable Element first(Element in, String name) {
        return (Element) in.getElementsByTagName(name).item(0);
    }

    /** Returns the lines: one a module, one for each reason of tests that were not run, one a failure, and the sums. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        tests.forEach((module, count) -> lines.add(String.format(Locale.ROOT, "%6d tests of %s", count, module)));
        skipped.forEach((module, reasons) -> reasons.forEach((reason, count) -> lines.add(
                "[WARNING] not run: " + count + (count == 1 ? " test" : " tests") + " of " + module + ": " + reason)));
        failures.stream().sorted().forEach(each -> lines.add("[ERROR] failed: " + each));
        int all = sum(tests);
        int without = skipped.values().stream().mapToInt(TestCounts::sum).sum();
        lines.add(String.format(
                Locale.ROOT,
                "%d passed, %d failed, %d skipped",
                all - failures.size() - without,
                failures.size(),
                without));
        return lines;
    }

    private static int sum(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(each -> each).sum();
    }

    private static List<Path> reports(Path root) throws IOException {
        try (Stream<Path> modules = Files.walk(root, 2)) {
            return modules.map(module -> module.resolve("target/surefire-reports"))
                    .filter(Files::isDirectory)
                    .flatMap(TestCounts::list)
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
