package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.builtin.FunctionStatistics;
import io.psf.builtin.Reports;
import io.psf.builtin.Statistics;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.cli.Chart.Line;
import io.psf.cli.Chart.Point;
import io.psf.runtime.PsCluster;
import io.psf.runtime.WorkerConfig;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The page of a job. */
@Timeout(60)
class JobReportTest {
    /** Parses a page as XML, and checks that nothing of it names something elsewhere. */
    private static Document page(String html) throws Exception {
        assertThat(html)
                .doesNotContainPattern(
                        "(?i)https?:|//|\\b(src|href|action|data)\\s*=|url\\(|@import|<script|<link|<iframe");
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        return factory.newDocumentBuilder().parse(new InputSource(new StringReader(html)));
    }

    private static List<String> texts(Element within, String element) {
        List<String> texts = new ArrayList<>();
        NodeList found = within.getElementsByTagName(element);
        for (int i = 0; i < found.getLength(); i++) {
            texts.add(found.item(i).getTextContent());
        }
        return texts;
    }

    /** Returns the cells of all rows of all tables. */
    private static List<List<String>> rows(Document page) {
        List<List<String>> rows = new ArrayList<>();
        NodeList found = page.getElementsByTagName("tr");
        for (int i = 0; i < found.getLength(); i++) {
            rows.add(texts((Element) found.item(i), "td"));
        }
        return rows;
    }

    @Test
    void thePageHasWhatTheServersCountedAndTheWorkersReported(@TempDir Path folder) throws Exception {
        try (PsCluster cluster = PsCluster.builder().servers(2).workers(1).tcp().start()) {
            JobWatch watch = new JobWatch(
                    WorkerConfig.of("127.0.0.1", cluster.scheduler().port()));
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 100));
            Statistics before = Statistics.of(cluster.worker());
            watch.visit();
            for (int step = 0; step < 20; step++) {
                Tensors.push(cluster.worker(), w, new float[100]).await();
                Reports.scalar(cluster.worker(), "loss", step, 1.0 / (step + 1)).await();
            }
            watch.visit();
            FunctionStatistics push = function(Statistics.of(cluster.worker()), "psf.dense.push");
            assertThat(before.functions().stream().map(FunctionStatistics::function))
                    .doesNotContain("psf.dense.push");
            Document page =
                    page(new JobReport("a job", "on a machine").watched(watch).html());
            assertThat(rows(page))
                    .anySatisfy(row -> assertThat(row)
                            .startsWith(
                                    "psf.dense.push",
                                    "40", // of 20 calls to 2 slices
                                    Chart.number((double) push.bytesIn()),
                                    Chart.number((double) push.bytesOut())));
            assertThat(push.count()).isEqualTo(40);
            assertThat(texts(page.getDocumentElement(), "h2"))
                    .contains("loss", "What it waited for", "Requests a second", "Bytes a second");
            assertThat(texts(page.getDocumentElement(), "title"))
                    .contains("worker 0: 1 at 0", "worker 0: 0.5 at 1", "worker 0: 0.05 at 19");
            isExplained(watch, folder.resolve("job.html"));
        }
    }

    /** The page of a job says what {@code psf explain} says of it while it runs. */
    private static void isExplained(JobWatch watch, Path file) {
        while (watch.seen().get(watch.seen().size() - 1).sums().workers().isEmpty()) {
            watch.visit(); // the worker reports once a second
        }
        new JobReport("<section>", "&").watched(watch).write(file);
        List<JobWatch.Seen> seen = watch.seen();
        List<String> running = ExplainedJob.of(
                        seen.get(seen.size() - 1).sums().since(seen.get(0).sums()))
                .lines();
        assertThat(running).anyMatch(line -> line.matches(" +0 +[0-9]+ % .*"));
        assertThat(ExplainedJob.read(file).lines()).isEqualTo(running);
    }

    private static FunctionStatistics function(Statistics statistics, String name) {
        return statistics.functions().stream()
                .filter(each -> each.function().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aPageOfAJobThatWasNotWatchedExplainsNothing(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("job.html");
        new JobReport("a", "b").write(file);
        assertThatThrownBy(() -> ExplainedJob.read(file))
                .hasMessageContaining("job.html (expected: a page of a job that was watched")
                .hasMessageContaining("no part that explains the job");
        Files.writeString(file, "<!DOCTYPE html [<!ENTITY x SYSTEM '/etc/passwd'>]><html>&x;</html>");
        assertThatThrownBy(() -> ExplainedJob.read(file)).hasMessageContaining("(expected: a page of a job");
    }

    @Test
    void everyTextIsShownAsItIs(@TempDir Path folder) throws Exception {
        String text = "</title><script>alert(\"'&amp;'\")</script>";
        Path file = folder.resolve("job.html");
        new JobReport(text, text + "\u0007\uFFFF")
                .table(text, List.of(text, "n"), List.of(List.of(text, "1")))
                .chart(new Chart(text, text, List.of(new Line(text, List.of(new Point(1, 2))))))
                .write(file);
        Document page = page(Files.readString(file));
        assertThat(texts(page.getDocumentElement(), "h1")).containsExactly(text);
        assertThat(texts(page.getDocumentElement(), "p").get(0)).isEqualTo(text + "\uFFFD\uFFFD");
        assertThat(texts(page.getDocumentElement(), "h2")).containsExactly(text, text);
        assertThat(rows(page)).contains(List.of(text, "1"));
        assertThat(page.getElementsByTagName("script").getLength()).isZero();
    }

    @Test
    void aChartHasItsPointsInTheirPlaces() throws Exception {
        List<Point> points = List.of(
                new Point(0, 1), new Point(1, Double.NaN), new Point(2, Double.POSITIVE_INFINITY), new Point(10, 3));
        Chart chart = new Chart("loss", "step", List.of(new Line("worker 0", points)));
        Document page = page(new JobReport("a", "b").chart(chart).html());
        assertThat(texts(page.getDocumentElement(), "title"))
                .containsExactly("a", "worker 0", "worker 0: 1 at 0", "worker 0: 3 at 10");
        Element first = (Element) page.getElementsByTagName("circle").item(0);
        Element last = (Element) page.getElementsByTagName("circle").item(1);
        assertThat(Double.parseDouble(first.getAttribute("cx")))
                .isLessThan(Double.parseDouble(last.getAttribute("cx")));
        assertThat(Double.parseDouble(first.getAttribute("cy")))
                .isGreaterThan(Double.parseDouble(last.getAttribute("cy")));
        assertThat(texts(page.getDocumentElement(), "text")).contains("0", "1", "2", "3", "10", "step");
    }

    @Test
    void numbersAreReadable() {
        assertThat(Map.of(1_234_567.0, "1,234,567", 0.25, "0.25", 1234.56, "1,234.6", 0.1 + 0.2, "0.3", -2.0, "-2")
                        .entrySet())
                .allSatisfy(each -> assertThat(Chart.number(each.getKey())).isEqualTo(each.getValue()));
    }

    @Test
    void aJobThatWasNotSeenSaysSo() throws Exception {
        JobWatch watch = new JobWatch(WorkerConfig.of("127.0.0.1", 1));
        Document page = page(new JobReport("a", "b")
                .chart(new Chart("none", "x", List.of(new Line("l", List.of()))))
                .table("none", List.of("a"), List.of())
                .watched(watch)
                .html());
        assertThat(texts(page.getDocumentElement(), "p"))
                .containsExactly("b", "The job was too short to be watched: it was visited 0 times.");
        assertThat(page.getElementsByTagName("h2").getLength()).isZero();
    }
}
