package io.psf.builtin.internal.reports;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsFunction;
import java.util.List;

/** Collects the series of {@link ReportScalar} from every server. */
@PsFunction(value = "psf.report.collect", at = Place.SERVER, readOnly = true)
public interface CollectReports {
    /** The most points of a series that a server keeps. */
    int ALL = Points.MOST + 1;

    /**
     * All series.
     *
     * @param most the most points of a series, at least 2
     */
    record Request(int most) {}

    /** The series of all servers. */
    record Response(List<ReportedValues> series) {}

    /** Returns this server's series. */
    default Response handle(Request request, Node server) {
        if (request.most() < 2) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST, "points of a series: " + request.most() + " (expected: >= 2)");
        }
        return new Response(ReportedSeries.of(server).all(request.most()));
    }
}
