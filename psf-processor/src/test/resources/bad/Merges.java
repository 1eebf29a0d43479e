package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

final class Merges {
  @PsFunction("bad.merges.layout")
  interface Layouts {
    record Request(TensorId tensor) {}

    record Response(
        @ByRange FloatArray values, // ERROR [PsfMergeAndLayout]
        @Reduce(Reduction.SUM) int sum, // ERROR [PsfMergeAndLayout]
        int other) {}

    Response handle(Request slice, Shard shard);

    static Response merge(List<Response> slices) {
      return slices.get(0);
    }
  }

  @PsFunction("bad.merges.instance")
  interface Instance {
    record Request(TensorId tensor) {}

    record Response(int other) {}

    Response handle(Request slice, Shard shard);

    default Response merge(List<Response> slices) { // ERROR [PsfMergeSignature]
      return slices.get(0);
    }
  }

  @PsFunction("bad.merges.parameter")
  interface Parameter {
    record Request(TensorId tensor) {}

    record Response(int other) {}

    Response handle(Request slice, Shard shard);

    static Response merge(Response[] slices) { // ERROR [PsfMergeSignature]
      return slices[0];
    }
  }

  @PsFunction("bad.merges.result")
  interface Result {
    record Request(TensorId tensor) {}

    record Response(int other) {}

    Response handle(Request slice, Shard shard);

    static int merge(List<Response> slices) { // ERROR [PsfMergeSignature]
      return 0;
    }
  }

  @PsFunction("bad.merges.wrongwayround")
  interface WrongWayRound {
    record Request(TensorId tensor) {}

    record Response(int other) {}

    Response handle(Request slice, Shard shard);

    static Response merge(List<Response> slices, Request request) { // ERROR [PsfMergeSignature]
      return slices.get(0);
    }
  }

  @PsFunction("bad.merges.foreign")
  interface Foreign {
    record Request(TensorId tensor) {}

    record Response(int other) {}

    Response handle(Request slice, Shard shard);

    static Response merge(Result.Request request, List<Response> slices) { // ERROR [PsfMergeSignature]
      return slices.get(0);
    }
  }

  @PsFunction("bad.merges.twice")
  interface Twice {
    record Request(TensorId tensor) {}

    record Response(int other) {}

    Response handle(Request slice, Shard shard);

    static Response merge(List<Response> slices) {
      return slices.get(0);
    }

    static Response merge(Request request, List<Response> slices) { // ERROR [PsfMergeTwice]
      return slices.get(0);
    }
  }

  @PsFunction("bad.merges.both")
  interface Both {
    record Request(TensorId tensor) {}

    record Response(int other) {}

    Response handle(Request slice, Shard shard);

    static Response merge(List<Response> slices) {
      return slices.get(0);
    }

    static Response finish(Request request, Response merged) { // ERROR [PsfMergeTwice]
      return merged;
    }
  }

  @PsFunction("bad.merges.finishing")
  interface Finishing {
    record Request(TensorId tensor) {}

    record Response(@Reduce(Reduction.SUM) int sum) {}

    Response handle(Request slice, Shard shard);

    default Response finish(Request request, Response merged) { // ERROR [PsfFinishSignature]
      return merged;
    }
  }

  @PsFunction("bad.merges.parameters")
  interface Parameters {
    record Request(TensorId tensor) {}

    record Response(@Reduce(Reduction.SUM) int sum) {}

    Response handle(Request slice, Shard shard);

    static Response finish(Response merged) { // ERROR [PsfFinishSignature]
      return merged;
    }
  }

  @PsFunction("bad.merges.swapped")
  interface Swapped {
    record Request(TensorId tensor) {}

    record Response(@Reduce(Reduction.SUM) int sum) {}

    Response handle(Request slice, Shard shard);

    static Response finish(Response merged, Request request) { // ERROR [PsfFinishSignature]
      return merged;
    }
  }

  @PsFunction("bad.merges.finished")
  interface Finished {
    record Request(TensorId tensor) {}

    record Response(@Reduce(Reduction.SUM) int sum) {}

    Response handle(Request slice, Shard shard);

    static int finish(Request request, Response merged) { // ERROR [PsfFinishSignature]
      return merged.sum();
    }
  }

  @PsFunction("bad.merges.throwing")
  interface Throwing {
    record Request(TensorId tensor) {}

    record Response(@Reduce(Reduction.SUM) int sum) {}

    Response handle(Request slice, Shard shard);

    static Response finish(Request request, Response merged) throws Exception { // ERROR [PsfFinishSignature]
      return merged;
    }
  }

  @PsFunction("bad.merges.unreduced")
  interface Unreduced {
    record Request(TensorId tensor) {}

    record Response(int other) {} // ERROR [PsfResponseLayout]

    Response handle(Request slice, Shard shard);

    static Response finish(Request request, Response merged) {
      return merged;
    }
  }

  @PsFunction(value = "bad.merges.owned", at = Place.SERVER)
  interface Owned {
    record Request(@ByKey long key) {}

    record Response(int sum) {}

    Response handle(Request request, Node server);

    static Response finish(Request request, Response merged) { // ERROR [PsfMergePlace]
      return merged;
    }
  }
}
