package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

/** What is not as it was committed, in src/test/resources/schemas/Evolved. */
@PsFunction("bad.evolved")
public interface Evolved {
  enum Mode { A, B, C }

  record Request( // ERROR [PsfSchemaBroken]
      TensorId tensor,
      long rounds, // ERROR [PsfSchemaBroken]
      Mode mode, // ERROR [PsfSchemaBroken]
      int added, // ERROR [PsfSchemaBroken]
      @Since(2) @ByRange FloatArray x) {}

  record Response(@Reduce(Reduction.MAX) float norm) {} // ERROR [PsfSchemaBroken]

  Response handle(Request slice, Shard shard);

  @PsFunction("bad.evolved.grown")
  interface Grown { // ERROR [PsfSchemaGrown]
    record Request(TensorId tensor, @Since(2) int x) {}

    record Response() {}

    Response handle(Request slice, Shard shard);
  }

  @PsFunction("bad.evolved.shrunk")
  interface Shrunk {
    record Request(TensorId tensor) {} // ERROR [PsfSchemaBroken]

    record Response() {}

    Response handle(Request slice, Shard shard);
  }

  enum Reordered { B, A }

  enum Renamed { A, Z }

  enum Removed { A }

  enum Appended { A, B, C }

  record Point(float x, float y) {}

  @PsFunction("bad.evolved.enums")
  interface Enums {
    record Request(
        TensorId tensor,
        Reordered reordered, // ERROR [PsfSchemaBroken]
        List<Renamed> renamed, // ERROR [PsfSchemaBroken]
        Map<String, Removed> removed, // ERROR [PsfSchemaBroken]
        Appended appended, // ERROR [PsfSchemaBroken]
        Point point) {} // ERROR [PsfSchemaBroken]

    record Response() {}

    Response handle(Request slice, Shard shard);
  }

  enum Grows { A, B, @Since(2) C }

  @PsFunction("bad.evolved.constant")
  interface Constant { // ERROR [PsfSchemaGrown]
    record Request(TensorId tensor, Grows grows) {}

    record Response() {}

    Response handle(Request slice, Shard shard);
  }

  @PsFunction("bad.evolved.moved")
  interface Moved { // ERROR [PsfSchemaBroken] ERROR [PsfSchemaBroken]
    record Request(TensorId b, int a) {} // ERROR [PsfSchemaBroken]

    record Response(int n) {} // ERROR [PsfSchemaBroken]

    Response handle(Request slice, Shard shard);

    static Response merge(List<Response> slices) {
      return slices.get(0);
    }
  }
}
