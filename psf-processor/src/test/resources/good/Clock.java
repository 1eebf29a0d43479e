package good;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.array.LongArray;
import java.util.concurrent.CompletableFuture;

/** Tells a clock, and learns those of the others. */
@PsFunction(value = "acme.clock", at = Place.SCHEDULER)
public interface Clock {
  record Request(String group, long clock) {}

  record Response(LongArray clocks, boolean ahead, String name) {}

  CompletableFuture<Response> handle(Request request, Node node);
}
