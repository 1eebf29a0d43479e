package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.PsFunction;
import io.psf.api.spi.NodeReport;

/** Reports what a node's calls take. A node calls it once a second while the scheduler says that a guest has asked. */
@PsFunction(value = "psf.cluster.report", at = Place.SCHEDULER)
public interface ReportCalls {
    /** What the node has counted since it was first asked. */
    record Request(NodeReport report) {
        public Request {
            if (report.calls().size() > NodeReport.MOST_FUNCTIONS) {
                throw new PsException(
                        Code.BAD_REQUEST,
                        "functions of a report: " + report.calls().size() + " (expected: at most "
                                + NodeReport.MOST_FUNCTIONS + ")");
            }
        }
    }

    /**
     * Whether to go on.
     *
     * @param more true if a guest still asks
     */
    record Response(boolean more) {}

    Response handle(Request request, Node scheduler);
}
