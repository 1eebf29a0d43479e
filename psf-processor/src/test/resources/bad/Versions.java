package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

@PsFunction("bad.versions")
public interface Versions {
  record Request(
      TensorId tensor,
      @Since(1) int first, // ERROR [PsfSince]
      @Since(3) int third,
      @Since(2) int second, // ERROR [PsfSince]
      int late, // ERROR [PsfSince]
      int later,
      @Since(4) TensorId other) {} // ERROR [PsfSince]

  record Response(
      @Along("found") FloatArray early, // ERROR [PsfSince]
      @Since(2) @ByKey LongArray found,
      @Since(2) @Along("found") FloatArray fine) {}

  Response handle(Request slice, Shard shard);
}
