package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

final class Formerly {
  @PsFunction(value = "bad.formerly.one", formerly = "Bad Old") // ERROR [PsfName]
  interface One {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice, Shard shard);
  }

  @PsFunction(
      value = "bad.formerly.two",
      formerly = {"bad.formerly.one", "bad.formerly.older"}) // ERROR [PsfNameTaken]
  interface Two {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice, Shard shard);
  }

  @PsFunction(value = "bad.formerly.older") // ERROR [PsfNameTaken]
  interface Three {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice, Shard shard);
  }

  @PsFunction(
      value = "bad.formerly.self",
      formerly = {"bad.formerly.self", "bad.formerly.a", "bad.formerly.a"}) // ERROR [PsfFormerly] ERROR [PsfFormerly]
  interface Self {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice, Shard shard);
  }
}
