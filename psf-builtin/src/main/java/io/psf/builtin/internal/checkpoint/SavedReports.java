package io.psf.builtin.internal.checkpoint;

import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.reports.ReportedSeries;
import io.psf.builtin.internal.reports.ReportedValues;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The values that workers have reported, as a file of a step: the curves of a job go on where its model does. */
final class SavedReports {
    private static final Logger LOG = LoggerFactory.getLogger(SavedReports.class);
    private static final String FIRST = "psf-reports 1";

    private SavedReports() {}

    static String file(long step) {
        return CheckpointNames.step(step) + "/reports";
    }

    /** Returns the text of the file: a line for each series, and one for each of its points. */
    static String text(List<ReportedValues> series) {
        StringBuilder text = new StringBuilder(FIRST + "\n");
        for (ReportedValues each : series) {
            text.append(String.format(
                    Locale.ROOT, "series %d %d %s\n", each.worker(), each.stride(), ModelManifest.encoded(each.tag())));
            for (int i = 0; i < each.steps().length; i++) {
                text.append("point ").append(each.steps()[i]);
                text.append(' ').append(each.millis()[i]);
                text.append(' ').append(each.values()[i]).append('\n');
            }
        }
        return SealedText.seal(text.toString());
    }

    /**
     * Parses the text of a file.
     *
     * @throws IllegalArgumentException if it is damaged
     */
    static List<ReportedValues> parse(String text) {
        List<String> lines = SealedText.lines(text, FIRST);
        List<ReportedValues> series = new ArrayList<>();
        for (int at = 1; at < lines.size(); ) {
            String[] fields = SealedText.fields(lines.get(at), "series", 4);
            int end = at + 1;
            while (end < lines.size() && lines.get(end).startsWith("point ")) {
                end++;
            }
            List<String[]> points = lines.subList(at + 1, end).stream()
                    .map(line -> SealedText.fields(line, "point", 4))
                    .toList();
            series.add(new ReportedValues(
                    ModelManifest.decoded(fields[3]),
                    Integer.parseInt(fields[1]),
                    points.stream().mapToLong(each -> Long.parseLong(each[1])).toArray(),
                    points.stream().mapToLong(each -> Long.parseLong(each[2])).toArray(),
                    points.stream()
                            .mapToDouble(each -> Double.parseDouble(each[3]))
                            .toArray(),
                    Integer.parseInt(fields[2])));
            at = end;
        }
        return series;
    }

    /** Replaces the series of a server by those of a step. Reports that cannot be read do not make a load fail. */
    static void load(StoredNode server, ModelSteps steps, long step) {
        try {
            ReportedSeries here = ReportedSeries.of(server);
            parse(steps.folder().text(file(step))).stream()
                    .filter(each -> server.owner(Math.max(0, each.worker())) == server.rank())
                    .forEach(here::restore);
        } catch (NoSuchFileException e) {
            // nothing was reported
        } catch (IOException | IllegalArgumentException | PsException e) {
            LOG.warn("reports of checkpoint \"{}\" are left out: {}", steps.name(step), Names.printable(e.toString()));
        }
    }
}
