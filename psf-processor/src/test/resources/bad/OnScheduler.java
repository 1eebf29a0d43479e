package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

@PsFunction(value = "bad.on.scheduler", at = Place.SCHEDULER)
public interface OnScheduler {
  record Request(long clock) {}

  record Response(long clock, @Reduce(Reduction.SUM) long sum) {} // ERROR [PsfLayoutPlace]

  Response handle(Request request, Node node);

  static Response merge(List<Response> slices) { // ERROR [PsfMergePlace]
    return slices.get(0);
  }
}
