package io.psf.benchmarks;

import java.util.List;
import java.util.stream.Collectors;

/** Formats the results of psf beside a peer: as a table for people, as JSON for programs. */
final class PeerReport {
    private static final String ROW = "%-44s %10s %14s %12s %10s %-8s %8s  %-16s %s";

    private PeerReport() {}

    static String table(List<PeerResult> results) {
        String heading = ROW.formatted(
                "case", "psf", "peer std::sort", "peer radix", "floor", "unit", "psf/peer", "spread", "goal");
        return results.stream()
                .map(PeerReport::row)
                .collect(Collectors.joining("\n", heading.stripTrailing() + "\n", ""));
    }

    private static String row(PeerResult result) {
        return ROW.formatted(
                        result.psf().line().name(),
                        Report.number(result.psf().oursMedian()),
                        Report.number(Result.median(result.stdSort())),
                        Report.number(Result.median(result.radix())),
                        Report.number(result.psf().floorMedian()),
                        result.psf().line().unit(),
                        Report.number(result.beside().ratio()),
                        Report.spread(result.beside()),
                        Report.verdict(result.beside()))
                .stripTrailing();
    }

    /** Returns the results as JSON: the objects of {@link Report#json}, each with the peer's figures. */
    static String json(List<PeerResult> results) {
        return Report.array(results.stream()
                .map(result -> Report.fields(result.psf()) + ", \"peer\": {" + peer(result) + "}")
                .toList());
    }

    private static String peer(PeerResult result) {
        Result beside = result.beside();
        return "\"std_sort\": %s, \"radix\": %s, \"ratio\": %s, \"spread\": [%s, %s], %s, \"others\": %s"
                .formatted(
                        Report.exact(Result.median(result.stdSort())),
                        Report.exact(Result.median(result.radix())),
                        Report.exact(beside.ratio()),
                        Report.exact(beside.least()),
                        Report.exact(beside.greatest()),
                        Report.goal(beside),
                        Report.exact(beside.others()));
    }
}
