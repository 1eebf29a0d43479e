package io.psf.cli;

import io.psf.api.PsException;
import io.psf.api.Role;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * What a job waits for, or has waited for: as {@code psf explain} prints it, and as a page of the job has it.
 *
 * @param watched which nodes were watched, and for how long
 * @param advice what was found
 * @param workers the table of the workers
 */
record ExplainedJob(String watched, List<Advice> advice, Table workers) {
    /** The class of the page's part. */
    private static final String CLASS = "explained";

    /** The most workers of the table in a terminal: those that work the most, for which the others wait. */
    private static final int MOST_WORKERS = 8;

    /**
     * A cause.
     *
     * @param says what was found
     * @param change what changes it, as a sentence; empty if nothing does
     */
    record Advice(String says, String change) {
        static Advice of(Finding finding) {
            String change = finding.change();
            return new Advice(finding.says(), change.isEmpty() ? "" : "To change it: " + change + ".");
        }
    }

    static ExplainedJob of(JobSample sample) {
        return new ExplainedJob(
                "Workers: " + sample.cluster().present(Role.WORKER) + ", servers: "
                        + sample.cluster().present(Role.SERVER) + ", watched for "
                        + Units.nanos(sample.time().toNanos()) + ".",
                Explanation.of(sample).stream().map(Advice::of).toList(),
                new WorkerTimes(sample.workers()).table());
    }

    private List<List<String>> rows() {
        return workers.cells().subList(1, workers.cells().size());
    }

    /** Returns the lines for a terminal. */
    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(watched));
        for (Advice each : advice) {
            lines.add("");
            lines.addAll(Text.wrap("", each.says, Table.TERMINAL));
            if (!each.change.isEmpty()) {
                lines.addAll(Text.wrap("  ", each.change, Table.TERMINAL));
            }
        }
        if (!rows().isEmpty()) {
            lines.add("");
            lines.addAll(workers.lines(Table.TERMINAL, MOST_WORKERS));
        }
        return lines;
    }

    /** Returns the part of the page of a job. */
    String html() {
        StringBuilder html = new StringBuilder("<section class=\"" + CLASS + "\">\n");
        html.append(Html.paragraph("note", watched));
        for (Advice each : advice) {
            html.append(Html.paragraph("says", each.says));
            html.append(Html.paragraph("change", each.change));
        }
        if (!rows().isEmpty()) {
            html.append("<h2>Workers</h2>\n").append(Html.table(workers.cells().get(0), rows()));
        }
        return html.append("</section>\n").toString();
    }

    /**
     * Reads the part of a page.
     *
     * @throws PsException with {@code CONFIGURATION} if the file is no page of a job that was watched
     */
    static ExplainedJob read(Path page) {
        try {
            Element part = elements(parser().parse(page.toFile()).getDocumentElement(), "section")
                    .filter(each -> each.getAttribute("class").equals(CLASS))
                    .findFirst()
                    .orElseThrow(() -> new SAXException("no part that explains the job"));
            List<String> texts =
                    elements(part, "p").map(Element::getTextContent).toList();
            Table workers = WorkerTimes.emptyTable();
            elements(part, "tr")
                    .map(row -> elements(row, "td").map(Element::getTextContent).toArray())
                    .filter(cells -> cells.length == workers.cells().get(0).size())
                    .forEach(workers::add);
            return new ExplainedJob(
                    texts.get(0),
                    IntStream.range(0, texts.size() / 2)
                            .mapToObj(i -> new Advice(texts.get(2 * i + 1), texts.get(2 * i + 2)))
                            .toList(),
                    workers);
        } catch (IOException | SAXException | ParserConfigurationException | IndexOutOfBoundsException e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "REPORT: " + page
                            + " (expected: a page of a job that was watched, such as psf launch --report writes; "
                            + e.getMessage() + ")",
                    e);
        }
    }

    /** A parser that reads nothing but the file, whatever that names. */
    private static DocumentBuilder parser() throws ParserConfigurationException {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
        factory.setAttribute(XMLConstants.ACCESS_EXTERNAL_DTD, "");
        factory.setAttribute(XMLConstants.ACCESS_EXTERNAL_SCHEMA, "");
        DocumentBuilder parser = factory.newDocumentBuilder();
        parser.setErrorHandler(null); // prints nothing
        return parser;
    }

    private static Stream<Element> elements(Element within, String name) {
        NodeList found = within.getElementsByTagName(name);
        return IntStream.range(0, found.getLength()).mapToObj(i -> (Element) found.item(i));
    }
}
