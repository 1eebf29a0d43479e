package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

public final class Misplaced {
  @PsFunction("bad.misplaced.response")
  interface InResponse {
    record Request(TensorId tensor) {}

    record Response(int sum) {
      static Response merge(List<Response> slices) { // ERROR [PsfMisplaced]
        return slices.get(0);
      }
    }

    Response handle(Request slice, Shard shard);
  }

  @PsFunction("bad.misplaced.request")
  interface InRequest {
    record Request(TensorId tensor) {
      static Response merge(Request request, List<Response> slices) { // ERROR [PsfMisplaced]
        return slices.get(0);
      }
    }

    record Response(int sum) {}

    Response handle(Request slice, Shard shard);
  }

  /** Without a message, this one would compile, and nothing would call its method. */
  @PsFunction("bad.misplaced.finish")
  interface Finishing {
    record Request(TensorId tensor) {}

    record Response(@Reduce(Reduction.SUM) int sum) {
      static Response finish(Request request, Response merged) { // ERROR [PsfMisplaced]
        return merged;
      }
    }

    Response handle(Request slice, Shard shard);
  }

  @PsFunction("bad.misplaced.nested")
  interface InAnother {
    record Request(TensorId tensor) {}

    record Response(int sum) {}

    Response handle(Request slice, Shard shard);

    final class Merging {
      static Response merge(List<Response> slices) { // ERROR [PsfMisplaced]
        return slices.get(0);
      }
    }
  }

  @PsFunction(value = "bad.misplaced.owned", at = Place.SERVER)
  interface OfOne {
    record Request(@ByKey long key) {}

    record Response(int sum) {
      static Response merge(List<Response> slices) { // ERROR [PsfMergePlace]
        return slices.get(0);
      }
    }

    Response handle(Request request, Node server);
  }

  @PsFunction("bad.misplaced.handle")
  interface Handling {
    record Request(TensorId tensor) {
      Response handle(Request slice, Shard shard) { // ERROR [PsfMisplaced]
        return new Response(1);
      }
    }

    record Response(@Reduce(Reduction.SUM) int sum) {}
  }

  @PsFunction("bad.misplaced.handled")
  interface Handled {
    record Request(TensorId tensor) {}

    record Response(@Reduce(Reduction.SUM) int sum) {
      static Response handle(Request slice, Shard shard) { // ERROR [PsfMisplaced]
        return new Response(1);
      }
    }
  }

  /** Methods and components of these names that are the user's own. */
  @PsFunction("bad.misplaced.none")
  public interface Own {
    record Request(TensorId tensor, int merge, int handle) {}

    record Response(@Reduce(Reduction.SUM) int finish) {
      static Response merge(Response a, Response b) {
        return new Response(a.finish + b.finish);
      }
    }

    Response handle(Request slice, Shard shard);
  }

  @PsHandler
  public static final class OnHost implements Own {
    @Override
    public Response handle(Request slice, Shard shard) {
      return new Response(1);
    }

    static Response merge(List<Response> slices) { // ERROR [PsfMisplaced]
      return slices.get(0);
    }
  }
}
