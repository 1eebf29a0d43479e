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
}
