package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

/** Calls on nodes have no order that could be given up. */
@PsFunction(
    value = "bad.unordered",
    at = Place.SCHEDULER,
    ordered = false) // ERROR [PsfOrdered]
public interface Unordered {
  record Request(long clock) {}

  record Response(long clock) {}

  CompletionStage<Response> handle(Request request, Node node);
}
