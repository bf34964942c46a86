//! Drivers that are missing, incomplete, too old or without a device: each has
//! its own error, and none a panic. The libraries are fakes, made here in C; a
//! process finds its driver once, so each is tried in a process of its own.
#![cfg(all(target_os = "linux", any(feature = "cuda-12", feature = "cuda-13")))]
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use pregel_core::device::BLOCK;
use pregel_core::engine::gpu::{Capability, CudaDevice, Device, DeviceError, Grid, Ptx};

/// A driver that does everything on the host and launches nothing.
const WHOLE: &str = r#"
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
typedef unsigned long long address;
#ifndef INIT
#define INIT 0
#endif
#ifndef VERSION
#define VERSION 12020
#endif
#ifndef DEVICES
#define DEVICES 1
#endif
#ifndef MAJOR
#define MAJOR 9
#endif
int cuDriverGetVersion(int *version) { *version = VERSION; return 0; }
int cuInit(unsigned flags) { return INIT; }
int cuDeviceGetCount(int *count) { *count = DEVICES; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDeviceGetName(char *name, int room, int device) { strncpy(name, "Fake", room); return 0; }
int cuDeviceGetAttribute(int *value, int which, int device) {
    *value = which == 75 ? MAJOR : which == 97 ? 100096 : 0;
    return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = context; return 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
int cuCtxSetCurrent(void *context) { return 0; }
int cuStreamCreate(void **stream, unsigned flags) { *stream = stream; return 0; }
int cuStreamSynchronize(void *stream) { return 0; }
int cuStreamDestroy_v2(void *stream) { return 0; }
int cuEventCreate(void **event, unsigned flags) { *event = event; return 0; }
int cuEventRecord(void *event, void *stream) { return 0; }
int cuEventSynchronize(void *event) { return 0; }
int cuEventDestroy_v2(void *event) { return 0; }
int cuMemGetInfo_v2(size_t *free, size_t *total) { *free = 1 << 20; *total = 1 << 21; return 0; }
int cuMemAllocAsync(address *at, size_t bytes, void *stream) {
    if (bytes > 1ull << 32) return 2;
    return (*at = (address)malloc(bytes)) ? 0 : 2;
}
int cuMemFreeAsync(address at, void *stream) { free((void *)at); return 0; }
int cuMemHostAlloc(void **at, size_t bytes, unsigned flags) { *at = malloc(bytes); return 0; }
int cuMemHostGetDevicePointer_v2(address *at, void *host, unsigned flags) { *at = (address)host; return 0; }
int cuMemFreeHost(void *at) { free(at); return 0; }
int cuMemsetD8Async(address at, unsigned char byte, size_t count, void *stream) {
    memset((void *)at, byte, count);
    return 0;
}
int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream) {
    memcpy((void *)to, from, bytes);
    return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream) {
    memcpy(to, (void *)from, bytes);
    return 0;
}
int cuModuleLoadDataEx(void **module, const void *text, unsigned count, int *options, void **values) {
    int threads = 0; /* CU_JIT_SPLIT_COMPILE, which older drivers refuse */
    for (unsigned i = 0; i < count; i++) threads += options[i] == 34 && !values[i];
    int posts = !count && strstr(text, "entry post(") != 0;
    if (threads != (VERSION >= 13000) && !posts) return 1;
    if (strstr(text, "wrong")) { strcpy(values[0], "line 1: wrong\nmore"); return 218; }
    *module = module;
    return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
    if (strstr(name, "missing")) return 500;
    *function = function;
    return 0;
}
int cuModuleUnload(void *module) { return 0; }
int cuFuncSetAttribute(void *function, int which, int value) {
    return which == 8 && value == 64 ? 0 : 1;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared) {
    *blocks = 2;
    return 0;
}
struct attribute { int id; char pad[4]; union { char room[64]; int set; } value; };
struct launch {
    unsigned x, y, z, bx, by, bz, shared;
    void *stream;
    struct attribute *attributes;
    unsigned count;
};
int cuLaunchKernelEx(const struct launch *a, void *function, void **arguments, void **extra) {
    int id = a->count == 1 && a->attributes->value.set == 1 ? a->attributes->id : 0;
    if (id == 2) /* blocks that wait for each other */
        return a->bx == 256 && a->x == 2 && a->shared == 0 ? 0 : 1;
    if (a->x == 1 && a->bx == 256) { /* `post` */
        unsigned *mail = *(unsigned **)arguments[1];
        if (id != (MAJOR >= 9 ? 6 : 0)) return 1; /* begins early where a device can */
        memcpy(mail + 1, *(void **)arguments[0], 4 * *(unsigned *)arguments[2]);
        *mail = *(unsigned *)arguments[3];
        memset(*(void **)arguments[4], 0, 4 * *(unsigned *)arguments[5]);
        return 0;
    }
    /* not made by pregel-build, so that it does not wait */
    return a->count == 0 && a->bx == 1024 && a->by == 1 && a->x == 3 && a->shared == 64 ? 0 : 1;
}
"#;

/// Prefix of the lines that [`child`] is asked for.
const MARK: &str = "answer: ";

/// What a process says whose first driver library is made of this C; `None`
/// where there is no C compiler.
fn ask(folder: &Path, source: Option<(&str, &[&str])>) -> Option<Vec<String>> {
    if let Some((source, macros)) = source {
        let file = folder.join("cuda.c");
        fs::write(&file, source).unwrap();
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let mut command = Command::new(compiler);
        command.args(["-shared", "-fPIC", "-O1", "-w"]).args(macros);
        command.arg("-o").arg(folder.join("libcuda.so.1")).arg(&file);
        let Ok(output) = command.stdin(Stdio::null()).output() else {
            eprintln!("NOT RUN: no C compiler");
            return None;
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::copy(folder.join("libcuda.so.1"), folder.join("libcuda.so")).unwrap();
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--ignored", "--nocapture"]);
    let output = command.env("LD_LIBRARY_PATH", folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}\n{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    let answers = said.lines().filter_map(|line| Some(line.split_once(MARK)?.1.to_owned()));
    let answers: Vec<String> = answers.collect();
    assert!(!answers.is_empty(), "no answer: {said}");
    Some(answers)
}

/// Whether the machine has a library that a process finds without being told.
fn has_a_driver() -> bool {
    CudaDevice::open(0).err() != Some(DeviceError::NoDriver)
}

/// Asserts what opening GPU 0 says, and how many there are.
#[track_caller]
fn check(source: &str, macros: &[&str], count: u32, expected: &DeviceError) {
    let folder = tempfile::tempdir().unwrap();
    let Some(answers) = ask(folder.path(), Some((source, macros))) else { return };
    assert_eq!(answers, [count.to_string(), format!("{expected:?}")]);
}

/// Run by the other tests, in processes with other drivers.
#[test]
#[ignore = "run by the other tests in a process of its own"]
fn child() {
    println!("\n{MARK}{}", CudaDevice::count());
    match CudaDevice::open(0) {
        Err(error) => println!("{MARK}{error:?}"),
        Ok(device) => use_it(&device),
    }
}

/// Calls everything that a device can do. Only a fake may be asked: it has no
/// kernels.
fn use_it(device: &CudaDevice) {
    let memory = device.memory().unwrap();
    println!("{MARK}{} {} {} {}", device.name(), device.ordinal(), memory.free, memory.size);
    // Larger than two of the parts that large copies are cut into, and odd.
    for bytes in [1usize, 1000, (1 << 20) + 1, (40 << 20) + 13] {
        let values: Vec<u8> = (0..bytes).map(|i| (i * 7 + i / 251) as u8).collect();
        let memory = device.allocate(bytes as u64).unwrap();
        device.write(&memory, &values).unwrap();
        let mut back = vec![0; bytes];
        device.read(&memory, 0, &mut back).unwrap();
        assert!(back == values, "{bytes} bytes came back changed");
        let start = bytes / 3;
        device.read(&memory, start as u64, &mut back[start..]).unwrap();
        assert!(back[start..] == values[start..], "{bytes} bytes from {start} on");
        device.fill(&memory, 0..bytes as u64, 9).unwrap();
        device.read(&memory, 0, &mut back).unwrap();
        assert!(back.iter().all(|byte| *byte == 9));
    }
    // Words that are posted, and bytes that are not.
    for (start, zero) in [(4, 8..512), (1, 13..15)] {
        let mut values = vec![5; 4096];
        let memory = device.allocate(4096).unwrap();
        device.write(&memory, &values).unwrap();
        let mut taken = [0; 40];
        device.take(&memory, start, &mut taken, zero.clone()).unwrap();
        assert_eq!(taken, [5; 40]);
        values[zero.start as usize..zero.end as usize].fill(0);
        let mut back = vec![1; 4096];
        device.read(&memory, 0, &mut back).unwrap();
        assert!(back == values, "{zero:?}");
    }
    println!("{MARK}{:?}", device.allocate(1 << 40).err());
    let load = |text, names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        device.load(&Ptx(text), &names)
    };
    println!("{MARK}{:?}", load(".entry wrong()", &["wrong"]).err());
    // Not in the image, and in the image but not in what the driver made of it.
    println!("{MARK}{:?}", load(".entry init()", &["init", "other"]).err());
    println!("{MARK}{:?}", load(".entry missing()", &["missing"]).err());
    let kernel = load(".entry init()", &["init"]).unwrap().remove(0);
    // SAFETY: the fake launches nothing of ours.
    unsafe {
        assert_eq!(device.shared(), 96_000);
        let grid = Grid { blocks: 3, threads: 1024, shared: 64, together: false };
        device.launch(&kernel, grid, &0u32).unwrap();
        let blocks = device.together(&kernel, 256, 0).unwrap();
        device
            .launch(&kernel, Grid { blocks, threads: BLOCK, shared: 0, together: true }, &0u32)
            .unwrap();
    }
    device.wait().unwrap();
}

#[test]
fn no_library() {
    if has_a_driver() {
        eprintln!("NOT RUN: this machine has a driver");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let answers = ask(folder.path(), None).unwrap();
    assert_eq!(answers, ["0", "NoDriver"]);
    // A file that is no library is none.
    fs::write(folder.path().join("libcuda.so.1"), "no library").unwrap();
    assert_eq!(ask(folder.path(), None).unwrap(), ["0", "NoDriver"]);
}

#[test]
fn a_library_of_nothing() {
    check("int unrelated;", &[], 0, &DeviceError::BrokenDriver);
}

#[test]
fn a_library_that_lacks_one_function() {
    let names = WHOLE.lines().filter_map(|line| line.strip_prefix("int ")?.split('(').next());
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 20);
    for name in names {
        let renamed = format!("-D{name}=another_{name}");
        check(WHOLE, &[&renamed], 0, &DeviceError::BrokenDriver);
    }
}

#[test]
fn a_library_of_one_function() {
    let version = "int cuDriverGetVersion(int *version) { *version = 13000; return 0; }";
    check(version, &[], 0, &DeviceError::BrokenDriver);
    let version = "int cuDriverGetVersion(int *version) { return 999; }";
    check(version, &[], 0, &DeviceError::BrokenDriver);
}

#[test]
fn the_stub_to_link_with() {
    // Of every function, and of those from `cuInit` on.
    let stub = "int cuDriverGetVersion(int *version) { return 34; }";
    check(stub, &[], 0, &DeviceError::StubDriver);
    check(WHOLE, &["-DINIT=34"], 0, &DeviceError::StubDriver);
}

#[test]
fn an_old_driver() {
    let old = |found: &str| DeviceError::OldDriver { found: found.to_owned(), needed: "12.0" };
    check(WHOLE, &["-DVERSION=11040"], 0, &old("11.4"));
    // A driver so old that it has nothing else that we know.
    let version = "int cuDriverGetVersion(int *version) { *version = 9020; return 0; }";
    check(version, &[], 0, &old("9.2"));
}

#[test]
fn no_device() {
    check(WHOLE, &["-DINIT=100"], 0, &DeviceError::NoDevice);
    check(WHOLE, &["-DDEVICES=0"], 0, &DeviceError::NoDevice);
    check(WHOLE, &["-DDEVICES=-1"], 0, &DeviceError::NoDevice);
}

#[test]
fn a_driver_that_does_not_start() {
    let reason = "driver and library do not belong together (CUDA error 803)".to_owned();
    check(WHOLE, &["-DINIT=803"], 0, &DeviceError::Call { call: "cuInit", reason });
}

#[test]
fn an_old_device() {
    let (name, found) = ("Fake".to_owned(), Capability { major: 7, minor: 0 });
    let needed = Capability { major: 8, minor: 0 };
    check(WHOLE, &["-DMAJOR=7"], 1, &DeviceError::OldDevice { name, found, needed });
}

#[test]
fn a_whole_driver_is_used_without_a_panic() {
    let reason = "the driver refuses the PTX (CUDA error 218): line 1: wrong".to_owned();
    let expected = [
        "3".to_owned(),
        "Fake 0 1048576 2097152".to_owned(),
        format!("{:?}", Some(DeviceError::Memory { needed: 1 << 40, free: 1 << 20 })),
        format!("{:?}", Some(DeviceError::Load { names: "wrong".to_owned(), reason })),
        format!("{:?}", Some(DeviceError::NoKernel { name: "other".to_owned() })),
        format!("{:?}", Some(DeviceError::NoKernel { name: "missing".to_owned() })),
    ];
    let versions = ["-DVERSION=12000", "-DVERSION=12090", "-DVERSION=13000"];
    for (version, device) in versions.into_iter().zip(["-DMAJOR=8", "-DMAJOR=9", "-DMAJOR=10"]) {
        let folder = tempfile::tempdir().unwrap();
        let macros = ["-DDEVICES=3", version, device];
        let Some(answers) = ask(folder.path(), Some((WHOLE, &macros))) else { return };
        assert_eq!(answers, expected, "{version}");
    }
}

#[test]
fn every_error_says_what_to_do() {
    let errors = [
        DeviceError::NoDriver,
        DeviceError::BrokenDriver,
        DeviceError::StubDriver,
        DeviceError::OldDriver { found: "11.4".to_owned(), needed: "12.0" },
        DeviceError::NoDevice,
    ];
    for error in errors {
        let text = error.to_string();
        assert!(text.contains("run on the CPU"), "{text}");
    }
}
