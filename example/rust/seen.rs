// The C interface from Rust, without crates. To compile it: rustc -O seen.rs -l membrane
use std::ffi::{c_char, c_void, CStr, CString};

// What is used of membrane/membrane.h.
#[repr(C)]
struct Opaque {
    _private: [u8; 0],
}
#[repr(C)]
struct Keys {
    form: u32,
    width: u32,
    count: u64,
    data: *const c_void,
    places: *const c_void,
}
const POINTERS: u32 = 1;
const UNSIGNED: u32 = 6;

#[link(name = "membrane")]
extern "C" {
    fn membrane_last_error() -> *const c_char;
    fn membrane_create(keys: u64, fpr: f64, needs: u64, made: *mut *mut Opaque) -> i32;
    fn membrane_close(filter: *mut Opaque);
    fn membrane_insert(filter: *mut Opaque, key: *const c_void, length: usize) -> i32;
    fn membrane_may_contain(filter: *const Opaque, key: *const c_void, length: usize, answer: *mut bool) -> i32;
    fn membrane_insert_many(filter: *mut Opaque, keys: *const Keys, done: *mut u64) -> i32;
    fn membrane_may_contain_many(filter: *const Opaque, keys: *const Keys, answers: *mut bool, present: *mut u64) -> i32;
    fn membrane_save(filter: *const Opaque, path: *const c_char, replaces: bool) -> i32;
    fn membrane_map(path: *const c_char, checks_payload: bool, made: *mut *mut Opaque) -> i32;
}

fn checked(status: i32) -> Result<(), String> {
    if status == 0 {
        return Ok(());
    }
    Err(unsafe { CStr::from_ptr(membrane_last_error()) }.to_string_lossy().into_owned())
}

/// A filter that is closed when it goes out of scope. It is not `Sync`: one thread at a time.
struct Filter(*mut Opaque);

impl Drop for Filter {
    fn drop(&mut self) {
        unsafe { membrane_close(self.0) }
    }
}

impl Filter {
    fn new(keys: u64, fpr: f64) -> Result<Filter, String> {
        let mut made = std::ptr::null_mut();
        checked(unsafe { membrane_create(keys, fpr, 0, &mut made) })?;
        Ok(Filter(made))
    }
    fn map(path: &str) -> Result<Filter, String> {
        let path = CString::new(path).map_err(|e| e.to_string())?;
        let mut made = std::ptr::null_mut();
        checked(unsafe { membrane_map(path.as_ptr(), true, &mut made) })?;
        Ok(Filter(made))
    }
    fn insert(&mut self, key: &[u8]) -> Result<(), String> {
        checked(unsafe { membrane_insert(self.0, key.as_ptr().cast(), key.len()) })
    }
    fn may_contain(&self, key: &[u8]) -> Result<bool, String> {
        let mut answer = false;
        checked(unsafe { membrane_may_contain(self.0, key.as_ptr().cast(), key.len(), &mut answer) })?;
        Ok(answer)
    }
    fn insert_numbers(&mut self, numbers: &[u64]) -> Result<(), String> {
        let keys = Keys {
            form: UNSIGNED,
            width: 8,
            count: numbers.len() as u64,
            data: numbers.as_ptr().cast(),
            places: std::ptr::null(),
        };
        checked(unsafe { membrane_insert_many(self.0, &keys, std::ptr::null_mut()) })
    }
    fn may_contain_texts(&self, texts: &[&str]) -> Result<Vec<bool>, String> {
        let pointers: Vec<*const u8> = texts.iter().map(|text| text.as_ptr()).collect();
        let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
        let keys = Keys {
            form: POINTERS,
            width: 0,
            count: texts.len() as u64,
            data: pointers.as_ptr().cast(),
            places: lengths.as_ptr().cast(),
        };
        let mut answers = vec![false; texts.len()];
        checked(unsafe { membrane_may_contain_many(self.0, &keys, answers.as_mut_ptr(), std::ptr::null_mut()) })?;
        Ok(answers)
    }
    fn save(&self, path: &str) -> Result<(), String> {
        let path = CString::new(path).map_err(|e| e.to_string())?;
        checked(unsafe { membrane_save(self.0, path.as_ptr(), true) })
    }
}

fn main() -> Result<(), String> {
    let path = std::env::args().nth(1).unwrap_or("/tmp/seen.mbr".to_string());
    let mut seen = Filter::new(100_000, 0.001)?;
    seen.insert("alice".as_bytes())?;
    seen.insert_numbers(&(0..1000).map(|i| 7 * i).collect::<Vec<u64>>())?;
    println!("alice, bob: {:?}", seen.may_contain_texts(&["alice", "bob"])?);
    seen.save(&path)?;

    let mapped = Filter::map(&path)?;
    println!("from the file: alice {}, 693 {}", mapped.may_contain(b"alice")?, mapped.may_contain(&693u64.to_le_bytes())?);
    match Filter::new(100_000, 2.0) {
        Ok(_) => Err("a rate of 2 was accepted".to_string()),
        Err(reason) => {
            println!("a rate of 2: {reason}");
            Ok(())
        }
    }
}
